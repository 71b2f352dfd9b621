// The preload of programs that npm starts, and their first output: no notice of a missing .env, and no warnings of npm.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { runNpm } from '../support/process.ts';

const preload = resolve('src/app/preload.js');

/** Runs a program in the folder `cwd` that prints the value of `expression`. */
function run(cwd: string, expression: string, env: Record<string, string> = {}) {
  const args = ['--import', preload, '--input-type=module', '--eval', `console.log(${expression})`];
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env });
}

/** Returns the output of that program. */
function print(...args: Parameters<typeof run>) {
  const { stdout, stderr } = run(...args);
  return { stdout, stderr };
}

describe('preload.js', () => {
  it('preload.js prints nothing without a .env file', () => {
    expect(print(emptyFolder(), '1')).toEqual({ stdout: '1\n', stderr: '' });
  });

  it('preload.js reads .env, and keeps the variables that are already set', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), 'PORT=1\nHOST=file # comment\n');
    const expression = 'process.env.PORT + process.env.HOST';
    expect(print(folder, expression, { PORT: '2' })).toEqual({ stdout: '2file\n', stderr: '' });
  });

  it('preload.js enables the compile cache', () => {
    const folder = resolve('node_modules/.cache/compile');
    const expression = `(await import('node:module')).default.getCompileCacheDir()`;
    expect(print(emptyFolder(), expression).stdout.startsWith(folder)).toBe(true);
  });

  it('preload.js trusts the certificates that .env names', async () => {
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

  it('preload.js exits with 78 and one sentence when .env names a certificate file that does not exist', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), 'NODE_EXTRA_CA_CERTS=ca.pem\n');
    const { status, stdout, stderr } = run(folder, '1');
    expect({ status, stdout }).toEqual({ status: 78, stdout: '' });
    expect(stderr).toMatch(/^messaging-gateway: NODE_EXTRA_CA_CERTS ca\.pem cannot be used: ENOENT.*\n$/);
  });
});

describe('npm', () => {
  it('npm run sandbox prints the address of the gateway in its first line', async () => {
    const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: emptyFolder(), TMPDIR: emptyFolder() };
    const program = runNpm(['run', '--silent', 'sandbox'], env);
    await program.line(/Ctrl-C stops/);
    expect(program.lines.filter((line) => line !== '')[0]).toMatch(/^ {2}Gateway {3}http/);
  });

  it('npm has the log level error in this repository, which hides warnings of an install', async () => {
    const program = runNpm(['config', 'get', 'loglevel']);
    expect(await program.ended).toBe(0);
    expect(program.lines.at(-1)).toBe('error');
  });
});
