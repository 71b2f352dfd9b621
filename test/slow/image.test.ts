// Builds the two images of the Dockerfile by its instructions, without a container engine. Checks their packages,
// SBOM, files, user and read-only tree. The gateway of one image then links to the sandbox of the other.
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
const SBOM = 'sbom.cdx.json';
const execute = promisify(execFile);
const stages = stagesOf(readFileSync('Dockerfile', 'utf8'));
const isRoot = process.getuid?.() === 0;
const baseFolder = mkdtempSync(join(tmpdir(), 'gateway-image-'));
/** ID of the user that runs the programs when the tests run as root. This user does not own the files. */
const NOBODY = 65_534;
/** An external IPv4 address of this machine, or `localhost` without a network. */
const HOST =
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address ?? 'localhost';

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

/** Runs the COPY instructions of a stage, except those that copy from another stage. */
function copyInto(folder: string, stage: readonly Instruction[]): void {
  for (const text of textsOf(stage, 'COPY').filter((copy) => !copy.startsWith('--from'))) {
    const paths = text.split(' ');
    const destination = join(folder, paths.pop() ?? '');
    mkdirSync(destination, { recursive: true });
    for (const source of paths) {
      if (statSync(source).isDirectory()) cpSync(source, destination, { recursive: true });
      else copyFileSync(source, join(destination, source.split('/').at(-1) ?? ''));
    }
  }
}

/** Builds the folder /app of an image with the node_modules of the stage `packages`. */
async function build(name: string, packages: string): Promise<Image> {
  const app = join(baseFolder, name);
  const folder = join(baseFolder, packages);
  copyInto(folder, stageOf(packages));
  for (const command of textsOf(stageOf(packages), 'RUN')) {
    await execute('sh', ['-c', command], { cwd: folder, env: { ...process.env, npm_config_prefer_offline: 'true' } });
  }
  const stage = stageOf(name);
  copyInto(app, stage);
  expect(textsOf(stage, 'COPY').filter((copy) => copy.startsWith('--from'))).toEqual([
    `--from=${packages} /app/node_modules ./node_modules/`,
    `--from=${packages} /app/${SBOM} ./`,
  ]);
  for (const name of ['node_modules', SBOM]) renameSync(join(folder, name), join(app, name));
  return { stage, app };
}

const pathsIn = (folder: string) => globSync('**/*', { cwd: folder, exclude: (name) => name === '.bin' });
const sizeOf = (folder: string) => pathsIn(folder).reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);

interface PackageJson {
  name: string;
  version: string;
}

/** The packages in the folder node_modules of an image, as `name@version`, without duplicates. */
function installedPackages({ app }: Image): string[] {
  const paths = globSync('node_modules/**/package.json', { cwd: app }).filter((path) =>
    /(^|\/)node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path),
  );
  // Glob patterns do not follow links, such as those to the folder packages/.
  const links = globSync('node_modules/{*,@*/*}', { cwd: app }).filter((path) =>
    lstatSync(join(app, path)).isSymbolicLink(),
  );
  const files = [...paths, ...links.map((path) => join(path, 'package.json'))];
  const packages = files.map((path): PackageJson => JSON.parse(readFileSync(join(app, path), 'utf8')));
  return [...new Set(packages.map(({ name, version }) => `${name}@${version}`))].sort();
}

/** The packages of package-lock.json that are not only development dependencies, as `name@version`. */
function productionPackages(): ReadonlySet<string> {
  const { packages }: { packages: Record<string, { name?: string; version?: string; dev?: boolean }> } = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  );
  const production = Object.entries(packages).filter(([, { dev }]) => !dev);
  return new Set(
    production.map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`),
  );
}

interface Sbom {
  components: { purl: string; licenses?: { license?: { id?: string }; expression?: string }[] }[];
}

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

/**
 * Starts the CMD of an image in its folder. Of the environment it gets `env` and a few variables. As root, uses another
 * user.
 */
function start({ stage, app }: Image, env: Record<string, string>) {
  const node = join(baseFolder, 'node');
  // The unprivileged user can lack access to the Node executable of this project.
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
  const healthCheck = commandOf(textsOf(stage, 'HEALTHCHECK')[0]?.replace(/^.*? CMD /, '') ?? '').slice(1);
  return { program, dataDir, isHealthy: async () => (await run(healthCheck, env, { node }).ended) === 0 };
}

let gatewayImage: Image;
let sandboxImage: Image;

beforeAll(async () => {
  chmodSync(baseFolder, 0o755);
  gatewayImage = await build('gateway', 'packages');
  sandboxImage = await build('sandbox', 'sandbox-packages');
  // Without npm's cache, the registry determines the duration.
}, 600_000);
afterAll(() => rmSync(baseFolder, { recursive: true, force: true }));

describe('the Docker images', () => {
  it('each Docker image contains only its own program, and the gateway image is smaller than 130 MiB', () => {
    const hasPath = ({ app }: Image, path: string) => existsSync(join(app, path));
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
    const sandbox: { dependencies: Record<string, string> } = JSON.parse(
      readFileSync('packages/sandbox/package.json', 'utf8'),
    );
    // libsignal is a dependency of Baileys.
    const sandboxOnly = Object.keys(sandbox.dependencies).filter(
      (name) => !(name in dependencies) && name !== 'libsignal',
    );
    expect(sandboxOnly).toContain('selfsigned');
    for (const name of sandboxOnly) {
      expect([name, hasPath(gatewayImage, `node_modules/${name}`)]).toEqual([name, false]);
      expect([name, hasPath(sandboxImage, `node_modules/${name}`)]).toEqual([name, true]);
    }
    for (const path of ['packages/sandbox', 'node_modules/@messaging-gateway/sandbox', 'node_modules/vitest'])
      expect([path, hasPath(gatewayImage, path)]).toEqual([path, false]);
    for (const path of ['src', 'packages/manager', 'node_modules/vitest', 'node_modules/pg', 'node_modules/socket.io'])
      expect([path, hasPath(sandboxImage, path)]).toEqual([path, false]);
    for (const { app } of [gatewayImage, sandboxImage])
      expect(lstatSync(join(app, 'node_modules', 'whatsapp-rust-bridge')).isSymbolicLink()).toBe(true);
    expect(sizeOf(gatewayImage.app) / MIB).toBeLessThan(130);
  });

  it('the SBOM of each Docker image lists the packages that the image contains, each with a version and a license', () => {
    const production = productionPackages();
    for (const image of [gatewayImage, sandboxImage]) {
      const { components }: Sbom = JSON.parse(readFileSync(join(image.app, SBOM), 'utf8'));
      const nameOf = (purl: string) => decodeURIComponent(purl.replace('pkg:npm/', '').replace(/\?.*$/, ''));
      const listed = new Map(components.map(({ purl, licenses }) => [nameOf(purl), licenses]));
      expect([...listed.keys()].sort()).toEqual(installedPackages(image));
      expect([...listed].filter(([, licenses]) => !licenses?.length)).toEqual([]);
      expect(listed.get('libsignal@6.0.0')).toEqual([{ license: { id: 'GPL-3.0' } }]);
      expect([...listed.keys()].filter((name) => !production.has(name))).toEqual([]);
      const names = [...listed.keys()].map((name) => name.replace(/@[^@]*$/, ''));
      expect(names).toContain('@messaging-gateway/whatsapp-crypto');
      expect(names).not.toContain('whatsapp-rust-bridge');
    }
  });

  it('both Docker images run as an unprivileged user on a read-only tree, and the gateway links to the sandbox', async () => {
    for (const { app } of [gatewayImage, sandboxImage]) makeReadOnly(app);
    const pathsBefore = pathsIn(gatewayImage.app);
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
    if (isRoot) expect(pathsIn(gatewayImage.app)).toEqual(pathsBefore);
  });
});
