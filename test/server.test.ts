import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Runs the entry with nothing but `env` until it ends. */
const run = (env: Record<string, string>, entry = 'src/server.ts') =>
  spawnSync(process.execPath, [entry], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('the process', () => {
  it('ends with 1 and one sentence for every setting that is wrong, before it opens anything', () => {
    const { status, stdout, stderr } = run({ API_KEY: 'short', PORT: 'eighty', DATABASE_URL: 'mysql://h/d' });
    expect(status).toBe(1);
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
    ['src/sandbox/cli.ts', 'messaging-gateway sandbox'],
  ])('ends with one sentence about a DATA_DIR that is a file: %s', (entry, name) => {
    const dataDir = join(folder(), 'file');
    writeFileSync(dataDir, '');
    const keys: Record<string, string>[] = [{}, { API_KEY: 'a-key-of-these-tests' }];
    for (const env of keys) {
      const { status, stderr } = run({ DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0', ...env }, entry);
      expect(status).toBe(1);
      expect(stderr).toBe(
        `${name}: DATA_DIR ${dataDir} cannot be used: it, or a part of its path, is a file. Choose another DATA_DIR.\n`,
      );
    }
  });

  it('ends with one sentence about a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const env = { PATH: process.env.PATH, DATA_DIR: folder(), API_KEY: 'a-key-of-these-tests', HOST: '127.0.0.1' };
    const child = spawn(process.execPath, ['src/server.ts'], { env: { ...env, PORT: String(port) } });
    child.stdout.resume();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(said).toBe(`messaging-gateway: port ${port} is in use. Stop what listens there, or choose another PORT.\n`);
    expect(code).toBe(1);
  });

  it('says the same in the same words when it is the sandbox', () => {
    const { status, stdout, stderr } = run({ PORT: 'eighty' }, 'src/sandbox/cli.ts');
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe('messaging-gateway sandbox: invalid configuration:\n  - PORT must be integer\n');
  });
});
