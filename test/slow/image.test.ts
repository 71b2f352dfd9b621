// What the Dockerfile builds, made by the same steps without a container engine: its packages, its files, its user, its read-only tree.
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { createApi, textAt } from '../support/api.ts';
import { commandOf, stagesOf, textsOf } from '../support/dockerfile.ts';
import { emptyFolder } from '../support/folder.ts';
import { isState, KEY } from '../support/gateway.ts';
import { freePort } from '../support/port.ts';
import { run } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';

const MIB = 2 ** 20;
const execute = promisify(execFile);
const [, packages = [], image = []] = stagesOf(readFileSync('Dockerfile', 'utf8'));
const isRoot = process.getuid?.() === 0;
const base = mkdtempSync(join(tmpdir(), 'gateway-image-'));
const app = join(base, 'app');
/** Anybody but the owner of the files; without root there is nobody else. */
const NOBODY = 65_534;

/** Copies what the stage copies from the project, in order. */
function copyInto(folder: string, stage: typeof image): void {
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

/** Makes the folder /app of the image. */
async function build(): Promise<void> {
  chmodSync(base, 0o755);
  const stage = join(base, 'packages');
  copyInto(stage, packages);
  for (const command of textsOf(packages, 'RUN')) {
    await execute('sh', ['-c', command], { cwd: stage, env: { ...process.env, npm_config_prefer_offline: 'true' } });
  }
  copyInto(app, image);
  expect(textsOf(image, 'COPY').at(-1)).toBe('--from=packages /app/node_modules ./node_modules/');
  renameSync(join(stage, 'node_modules'), join(app, 'node_modules'));
}

const pathsIn = (folder: string) => globSync('**/*', { cwd: folder, exclude: (name) => name === '.bin' });
const sizeOf = (folder: string) => pathsIn(folder).reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);

/** Takes the right to write from everybody until the test ends. */
function makeReadOnly(folder: string): void {
  const folders = [folder, ...pathsIn(folder).map((path) => join(folder, path))].filter((path) =>
    lstatSync(path).isDirectory(),
  );
  for (const path of folders) chmodSync(path, 0o555);
  onTestFinished(() => {
    for (const path of folders) chmodSync(path, 0o755);
  });
}

/** The gateway as the image starts it, on this platform. */
async function start(platform: Record<string, string>) {
  const node = join(base, 'node');
  // Nobody may be unable to reach the Node of this project.
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  const [program, ...args] = commandOf(textsOf(image, 'CMD')[0] ?? '');
  expect(program).toBe('node');
  const dataDir = emptyFolder();
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) chownSync(dataDir, NOBODY, NOBODY);
  const port = String(await freePort());
  const PATH = '/usr/local/bin:/usr/bin:/bin';
  const env = {
    PATH,
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    PORT: port,
    HOST: '127.0.0.1',
    API_KEY: KEY,
    ...platform,
  };
  const gateway = run(args, env, { node, cwd: app, ...user });
  const probe = commandOf(textsOf(image, 'HEALTHCHECK')[0]?.replace(/^.*? CMD /, '') ?? '').slice(1);
  return {
    gateway,
    dataDir,
    api: createApi(`http://127.0.0.1:${port}`, KEY),
    healthy: async () => (await run(probe, { PORT: port }, { node }).ended) === 0,
  };
}

// As long as a registry takes where the packages are not in npm's cache.
beforeAll(build, 300_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the image', () => {
  it('has only what runs, and is a gateway for an unprivileged user on a tree that nobody can write', async () => {
    expect(existsSync(join(app, 'node_modules', 'vitest'))).toBe(false);
    expect(lstatSync(join(app, 'node_modules', 'whatsapp-rust-bridge')).isSymbolicLink()).toBe(true);
    expect(sizeOf(app) / MIB).toBeLessThan(130);
    makeReadOnly(app);
    const before = pathsIn(app);

    const sandbox = await createSandbox({ tlsPort: false });
    onTestFinished(() => sandbox.close());
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const { gateway, dataDir, api, healthy } = await start({
      PLATFORM_URL: sandbox.platformUrl,
      PLATFORM_ROOT_KEY: sandbox.rootKey.toString('base64'),
    });
    await gateway.line(/gateway.ready/);
    expect(await healthy()).toBe(true);
    const created = await api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    await sandbox.pairing.scanQr('15550033001', textAt(created.body, 'qrcode.code'));
    await receiver.next(({ body }) => isState(body, 'shop', 'open'));
    expect((await fetch(`${api.url}/docs/`)).status).toBe(200);
    expect(statSync(join(dataDir, 'gateway.db')).uid).toBe(isRoot ? NOBODY : process.getuid?.());

    expect(await gateway.stop('SIGTERM')).toBe(0);
    expect(gateway.lines.join('\n')).toContain('gateway.stopped');
    expect(await healthy()).toBe(false);
    if (isRoot) expect(pathsIn(app)).toEqual(before);
  });
});
