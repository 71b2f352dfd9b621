// What npm starts begins quietly: no notice of a missing .env, no warnings of npm.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { runNpm } from '../support/process.ts';

const preload = resolve('src/app/preload.js');

/** Runs a program that prints `expression` in the folder. */
function run(cwd: string, expression: string, env: Record<string, string> = {}) {
  const args = ['--import', preload, '--input-type=module', '--eval', `console.log(${expression})`];
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env });
}

/** What that program prints. */
function print(...args: Parameters<typeof run>) {
  const { stdout, stderr } = run(...args);
  return { stdout, stderr };
}

describe('the preload of npm scripts', () => {
  it('prints nothing where there is no .env', () => {
    expect(print(emptyFolder(), '1')).toEqual({ stdout: '1\n', stderr: '' });
  });

  it('reads .env, which does not replace what is set', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), 'PORT=1\nHOST=file # comment\n');
    const expression = 'process.env.PORT + process.env.HOST';
    expect(print(folder, expression, { PORT: '2' })).toEqual({ stdout: '2file\n', stderr: '' });
  });

  it('enables the compile cache', () => {
    const folder = resolve('node_modules/.cache/compile');
    const expression = `(await import('node:module')).default.getCompileCacheDir()`;
    expect(print(emptyFolder(), expression).stdout.startsWith(folder)).toBe(true);
  });

  it('trusts the certificates that .env names', async () => {
    const folder = emptyFolder();
    const { cert } = await generate([{ name: 'commonName', value: 'own' }], { keyType: 'ec' });
    writeFileSync(join(folder, 'ca.pem'), cert);
    writeFileSync(join(folder, '.env'), 'NODE_EXTRA_CA_CERTS=ca.pem\n');
    const { stdout, stderr } = print(folder, `(await import('node:tls')).getCACertificates('default').join()`);
    expect([stdout.includes(cert.trim()), stderr]).toEqual([true, '']);
  });

  it.each([
    { size: 10, env: {} },
    { size: 12, env: { UV_THREADPOOL_SIZE: '12' } },
  ])('the thread pool has $size threads with the environment $env', ({ size, env }) => {
    const pipe = join(emptyFolder(), 'pipe');
    spawnSync('mkfifo', [pipe]);
    // Each open() blocks a thread of the pool, because no program opens the other end of the pipe. stat() needs the last.
    const program = `import { open, stat } from 'node:fs/promises';
      for (let n = 1; n < ${size}; n++) void open('${pipe}');
      await stat('${pipe}');
      process.stdout.write('answered', () => process.kill(process.pid, 'SIGKILL'));`;
    const args = ['--import', preload, '--input-type=module', '--eval', program];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8', env, timeout: 30_000 }).stdout).toBe('answered');
  });

  it('ends the start with one sentence when .env names a file of certificates that does not exist', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), 'NODE_EXTRA_CA_CERTS=ca.pem\n');
    const { status, stdout, stderr } = run(folder, '1');
    expect({ status, stdout }).toEqual({ status: 78, stdout: '' });
    expect(stderr).toMatch(/^messaging-gateway: NODE_EXTRA_CA_CERTS ca\.pem cannot be used: ENOENT.*\n$/);
  });
});

describe('npm', () => {
  it('begins the sandbox with its useful lines', async () => {
    const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: emptyFolder(), TMPDIR: emptyFolder() };
    const program = runNpm(['run', '--silent', 'sandbox'], env);
    await program.line(/Ctrl-C stops/);
    expect(program.lines.filter((line) => line !== '')[0]).toMatch(/^ {2}Gateway {3}http/);
  });

  it('hides warnings of an install and no errors', async () => {
    const program = runNpm(['config', 'get', 'loglevel']);
    expect(await program.ended).toBe(0);
    expect(program.lines.at(-1)).toBe('error');
  });
});
