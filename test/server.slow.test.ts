import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../src/storage/sqlite.ts';

/**
 * Returns the arguments of Node for an entry. Unlike npm, they leave out preload.js, which reads .env. Because of
 * module-loading.js, Node compiles the source files once for all these tests.
 */
const argsOf = (entry: string) => ['--import', './src/app/module-loading.js', entry];

/** Runs the entry with only PATH and `env` until it ends. */
const run = (env: Record<string, string>, entry = 'src/server.ts') =>
  spawnSync(process.execPath, argsOf(entry), { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });

function createFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('gateway process', () => {
  it('the gateway exits with 78 and one line for each invalid setting', () => {
    const { status, stdout, stderr } = run({ API_KEY: 'short', PORT: 'eighty', DATABASE_URL: 'mysql://h/d' });
    expect(status).toBe(78);
    expect(stdout).toBe('');
    expect(stderr.split('\n')).toEqual([
      'messaging-gateway: invalid configuration:',
      '  - PORT must be integer',
      '  - API_KEY must have at least 16 characters',
      '  - DATABASE_URL must be a postgres:// URL',
      '',
    ]);
  });

  it.each([
    ['src/server.ts', 'messaging-gateway'],
    ['packages/sandbox/src/process/cli.ts', 'messaging-gateway sandbox'],
  ])('the entry %s exits with 78 and one sentence for a DATA_DIR that is a file', (entry, name) => {
    const dataDir = join(createFolder(), 'file');
    writeFileSync(dataDir, '');
    const keys: Record<string, string>[] = [{}, { API_KEY: 'a-key-of-these-tests' }];
    for (const env of keys) {
      const { status, stderr } = run({ DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0', ...env }, entry);
      expect(status).toBe(78);
      expect(stderr).toBe(
        `${name}: DATA_DIR ${dataDir} cannot be used: it, or a part of its path, is a file. Choose another DATA_DIR.\n`,
      );
    }
  });

  it('the gateway logs ignored settings, and exits with 78 and one sentence for a missing certificate', () => {
    const { status, stdout, stderr } = run({
      ...{
        DATA_DIR: createFolder(),
        PORT: '0',
        HOST: '127.0.0.1',
        RABBITMQ_ENABLED: 'true',
        LOG_COLOR: 'true',
        LOG_LEVEL: 'ERROR,INFO',
      },
      ...{ SERVER_TYPE: 'https', SSL_CONF_PRIVKEY: '/nowhere/key.pem', SSL_CONF_FULLCHAIN: '/nowhere/cert.pem' },
      AUTHENTICATION_API_KEY: 'a-key-of-these-tests',
    });
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    const findLine = (msg: string) => lines.map((line) => JSON.parse(line)).find((line) => line.msg === msg);
    expect(findLine('config.features.ignored')).toMatchObject({
      ...{ level: 40, settings: { RABBITMQ_ENABLED: expect.stringContaining('no queues') } },
    });
    expect(findLine('config.settings.ignored')).toMatchObject({
      level: 30,
      settings: { LOG_COLOR: 'log lines have colors only in a terminal' },
    });
    expect(stderr).toBe('messaging-gateway: SSL_CONF_PRIVKEY /nowhere/key.pem cannot be read (ENOENT).\n');
    expect(status).toBe(78);
  });

  it('the gateway exits with 69 and one sentence for a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: createFolder(),
      API_KEY: 'a-key-of-these-tests',
      HOST: '127.0.0.1',
    };
    const child = spawn(process.execPath, argsOf('src/server.ts'), { env: { ...env, PORT: String(port) } });
    child.stdout.resume();
    const [errorText, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(errorText).toBe(
      `messaging-gateway: port ${port} is in use. Stop what listens there, or choose another PORT.\n`,
    );
    expect(code).toBe(69);
  });

  it('the gateway exits with 69 and one sentence for a metrics port or a DATA_DIR that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const dataDir = createFolder();
    const env = { DATA_DIR: dataDir, API_KEY: 'a-key-of-these-tests', HOST: '127.0.0.1', PORT: '0' };
    const resultWithUsedPort = run({ ...env, METRICS_PORT: port });
    expect(resultWithUsedPort.stderr).toBe(
      `messaging-gateway: port ${port} is in use. Stop what listens there, or choose another METRICS_PORT.\n`,
    );
    expect(resultWithUsedPort.status).toBe(69);
    const lock = lockFolder(dataDir);
    onTestFinished(() => lock.close());
    const resultWithLockedFolder = run(env);
    expect(resultWithLockedFolder.stderr).toContain('is in use by another gateway process');
    expect(resultWithLockedFolder.status).toBe(69);
  });

  it('the sandbox exits with 78 and one line for each invalid setting', () => {
    const { status, stdout, stderr } = run({ PORT: 'eighty' }, 'packages/sandbox/src/process/cli.ts');
    expect(status).toBe(78);
    expect(stdout).toBe('');
    expect(stderr).toBe('messaging-gateway sandbox: invalid configuration:\n  - PORT must be integer\n');
  });
});
