import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../src/storage/sqlite.ts';

/** The entry as npm starts it, but without a .env file. Its source files are compiled once for all these tests. */
const argsOf = (entry: string) => ['--import', './src/app/module-loading.js', entry];

/** Runs the entry with nothing but `env` until it ends. */
const run = (env: Record<string, string>, entry = 'src/server.ts') =>
  spawnSync(process.execPath, argsOf(entry), { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('the process', () => {
  it('ends with 78 and one sentence for every setting that is wrong, before it opens anything', () => {
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
  ])('ends with one sentence about a DATA_DIR that is a file: %s', (entry, name) => {
    const dataDir = join(folder(), 'file');
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

  it('says what was asked for and is not here, and ends with one sentence about a certificate that is missing', () => {
    const { status, stdout, stderr } = run({
      ...{
        DATA_DIR: folder(),
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
    const said = (msg: string) => lines.map((line) => JSON.parse(line)).find((line) => line.msg === msg);
    expect(said('config.features.ignored')).toMatchObject({
      ...{ level: 40, settings: { RABBITMQ_ENABLED: expect.stringContaining('no queues') } },
    });
    expect(said('config.settings.ignored')).toMatchObject({
      level: 30,
      settings: { LOG_COLOR: 'log lines have colors only in a terminal' },
    });
    expect(stderr).toBe('messaging-gateway: SSL_CONF_PRIVKEY /nowhere/key.pem cannot be read (ENOENT).\n');
    expect(status).toBe(78);
  });

  it('ends with one sentence about a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const env = { PATH: process.env.PATH, DATA_DIR: folder(), API_KEY: 'a-key-of-these-tests', HOST: '127.0.0.1' };
    const child = spawn(process.execPath, argsOf('src/server.ts'), { env: { ...env, PORT: String(port) } });
    child.stdout.resume();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(said).toBe(`messaging-gateway: port ${port} is in use. Stop what listens there, or choose another PORT.\n`);
    expect(code).toBe(69);
  });

  it('ends with one sentence about a port for metrics that is taken, and about a folder that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const dataDir = folder();
    const env = { DATA_DIR: dataDir, API_KEY: 'a-key-of-these-tests', HOST: '127.0.0.1', PORT: '0' };
    const taken = run({ ...env, METRICS_PORT: port });
    expect(taken.stderr).toBe(
      `messaging-gateway: port ${port} is in use. Stop what listens there, or choose another METRICS_PORT.\n`,
    );
    expect(taken.status).toBe(69);
    const lock = lockFolder(dataDir);
    onTestFinished(() => lock.close());
    const locked = run(env);
    expect(locked.stderr).toContain('is in use by another gateway process');
    expect(locked.status).toBe(69);
  });

  it('says the same in the same words when it is the sandbox', () => {
    const { status, stdout, stderr } = run({ PORT: 'eighty' }, 'packages/sandbox/src/process/cli.ts');
    expect(status).toBe(78);
    expect(stdout).toBe('');
    expect(stderr).toBe('messaging-gateway sandbox: invalid configuration:\n  - PORT must be integer\n');
  });
});
