// The two images of the Dockerfile, built by its steps without a container engine: packages, files, user, read-only tree. The sandbox of
// the one image and the gateway of the other then link to each other.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createApi, textAt } from '../support/api.ts';
import { commandOf, type Instruction, stagesOf, textsOf } from '../support/dockerfile.ts';
import { emptyFolder } from '../support/folder.ts';
import { isState, KEY } from '../support/gateway.ts';
import { freePort } from '../support/port.ts';
import { run } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';

const MIB = 2 ** 20;
const execute = promisify(execFile);
const stages = stagesOf(readFileSync('Dockerfile', 'utf8'));
const isRoot = process.getuid?.() === 0;
const base = mkdtempSync(join(tmpdir(), 'gateway-image-'));
/** The user that runs the programs when the tests run as root: not the owner of the files. */
const NOBODY = 65_534;
/** An address of this machine that is not on loopback; without a network, a loopback name. */
const HOST =
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? 'localhost';

interface Image {
  stage: readonly Instruction[];
  /** The folder /app of the image. */
  app: string;
}

/** Throws Error when the Dockerfile has no such stage. */
function stageOf(name: string): readonly Instruction[] {
  const stage = stages.get(name);
  if (!stage) throw new Error(`the Dockerfile has no stage ${name}`);
  return stage;
}

/** Runs the COPY instructions of the stage that copy from the project. */
function copyInto(folder: string, stage: readonly Instruction[]): void {
  for (const text of textsOf(stage, 'COPY').filter((one) => !one.startsWith('--from'))) {
    const words = text.split(' ');
    const to = join(folder, words.pop() ?? '');
    mkdirSync(to, { recursive: true });
    for (const from of words) {
      if (statSync(from).isDirectory()) cpSync(from, to, { recursive: true });
      else copyFileSync(from, join(to, from.split('/').at(-1) ?? ''));
    }
  }
}

/** Builds the folder /app of an image, with the node_modules of the stage `packages`. */
async function build(name: string, packages: string): Promise<Image> {
  const app = join(base, name);
  const folder = join(base, packages);
  copyInto(folder, stageOf(packages));
  for (const command of textsOf(stageOf(packages), 'RUN')) {
    await execute('sh', ['-c', command], { cwd: folder, env: { ...process.env, npm_config_prefer_offline: 'true' } });
  }
  const stage = stageOf(name);
  copyInto(app, stage);
  expect(textsOf(stage, 'COPY').at(-1)).toBe(`--from=${packages} /app/node_modules ./node_modules/`);
  renameSync(join(folder, 'node_modules'), join(app, 'node_modules'));
  return { stage, app };
}

const pathsIn = (folder: string) => globSync('**/*', { cwd: folder, exclude: (name) => name === '.bin' });
const sizeOf = (folder: string) => pathsIn(folder).reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);

/** Makes every folder in `folder` read-only until the test ends. */
function makeReadOnly(folder: string): void {
  const folders = [folder, ...pathsIn(folder).map((path) => join(folder, path))].filter((path) =>
    lstatSync(path).isDirectory(),
  );
  for (const path of folders) chmodSync(path, 0o555);
  onTestFinished(() => {
    for (const path of folders) chmodSync(path, 0o755);
  });
}

/** Starts the image's CMD on its folder with only `env`, as a user who does not own the files. */
function start({ stage, app }: Image, env: Record<string, string>) {
  const node = join(base, 'node');
  // The unprivileged user may have no access to the Node of this project.
  if (!existsSync(node)) {
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o755);
  }
  const [command, ...args] = commandOf(textsOf(stage, 'CMD')[0] ?? '');
  expect(command).toBe('node');
  const dataDir = emptyFolder();
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) chownSync(dataDir, NOBODY, NOBODY);
  const PATH = '/usr/local/bin:/usr/bin:/bin';
  const program = run(args, { PATH, NODE_ENV: 'production', DATA_DIR: dataDir, ...env }, { node, cwd: app, ...user });
  const probe = commandOf(textsOf(stage, 'HEALTHCHECK')[0]?.replace(/^.*? CMD /, '') ?? '').slice(1);
  return { program, dataDir, isHealthy: async () => (await run(probe, env, { node }).ended) === 0 };
}

let gatewayImage: Image;
let sandboxImage: Image;

beforeAll(async () => {
  chmodSync(base, 0o755);
  gatewayImage = await build('gateway', 'packages');
  sandboxImage = await build('sandbox', 'sandbox-packages');
  // As long as a registry takes where the packages are not in npm's cache.
}, 600_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the images', () => {
  it('contain only what runs: the gateway neither the sandbox nor its dependencies, the sandbox not the gateway', () => {
    const has = ({ app }: Image, path: string) => existsSync(join(app, path));
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
    const sandbox: { dependencies: Record<string, string> } = JSON.parse(
      readFileSync('packages/sandbox/package.json', 'utf8'),
    );
    // libsignal is a dependency of Baileys.
    const own = Object.keys(sandbox.dependencies).filter((name) => !(name in dependencies) && name !== 'libsignal');
    expect(own).toContain('selfsigned');
    for (const name of own) {
      expect([name, has(gatewayImage, `node_modules/${name}`)]).toEqual([name, false]);
      expect([name, has(sandboxImage, `node_modules/${name}`)]).toEqual([name, true]);
    }
    for (const path of ['packages/sandbox', 'node_modules/@messaging-gateway/sandbox', 'node_modules/vitest'])
      expect([path, has(gatewayImage, path)]).toEqual([path, false]);
    for (const path of ['src', 'packages/manager', 'node_modules/vitest', 'node_modules/pg', 'node_modules/socket.io'])
      expect([path, has(sandboxImage, path)]).toEqual([path, false]);
    for (const { app } of [gatewayImage, sandboxImage])
      expect(lstatSync(join(app, 'node_modules', 'whatsapp-rust-bridge')).isSymbolicLink()).toBe(true);
    expect(sizeOf(gatewayImage.app) / MIB).toBeLessThan(130);
  });

  it('run as an unprivileged user on a read-only tree, and the gateway of the one links to the sandbox of the other', async () => {
    for (const { app } of [gatewayImage, sandboxImage]) makeReadOnly(app);
    const before = pathsIn(gatewayImage.app);
    const sandboxPort = String(await freePort());
    const platform = start(sandboxImage, {
      SANDBOX_HOST: HOST,
      SANDBOX_PORT: sandboxPort,
      SANDBOX_PLATFORM_PORT: String(await freePort()),
    });
    const { platformUrl, rootKey, caFile, control }: Record<'platformUrl' | 'rootKey' | 'caFile' | 'control', string> =
      JSON.parse(await platform.program.line(/^\{"platformUrl"/));
    expect(control).toBe(`http://${HOST}:${sandboxPort}`);
    expect(await platform.isHealthy()).toBe(true);

    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const port = String(await freePort());
    const { program, dataDir, isHealthy } = start(gatewayImage, {
      PORT: port,
      HOST: '127.0.0.1',
      API_KEY: KEY,
      PLATFORM_URL: platformUrl,
      PLATFORM_ROOT_KEY: rootKey,
      NODE_EXTRA_CA_CERTS: caFile,
    });
    const api = createApi(`http://127.0.0.1:${port}`, KEY);
    await program.line(/gateway.ready/);
    expect(await isHealthy()).toBe(true);
    const created = await api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const scanned = await fetch(`${control}/phones/15550033001/scan`, {
      method: 'POST',
      body: JSON.stringify({ code: textAt(created.body, 'qrcode.code') }),
    });
    expect(scanned.status).toBe(200);
    await receiver.next(({ body }) => isState(body, 'shop', 'open'));
    expect((await fetch(`${api.url}/docs/`)).status).toBe(200);
    expect(statSync(join(dataDir, 'gateway.db')).uid).toBe(isRoot ? NOBODY : process.getuid?.());

    expect(await program.stop('SIGTERM')).toBe(0);
    expect(program.lines.join('\n')).toContain('gateway.stopped');
    expect(await isHealthy()).toBe(false);
    expect(await platform.program.stop('SIGTERM')).toBe(0);
    expect(await platform.isHealthy()).toBe(false);
    if (isRoot) expect(pathsIn(gatewayImage.app)).toEqual(before);
  });
});
