// The sandbox as a process without a gateway: the settings that a shared .env can contain, and unhandled errors.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder } from '../../../test/support/folder.ts';
import { type Program, run } from '../../../test/support/process.ts';

/**
 * Code that makes the process fail at a signal: SIGWINCH with an unhandled rejection, SIGCONT with an error of the
 * operating system, SIGURG with another error.
 */
const FAILING = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGWINCH', () => void Promise.reject(new Error('boom')));
  process.on('SIGCONT', () => { throw Object.assign(new Error('reset'), { syscall: 'read', code: 'ECONNRESET' }); });
  process.on('SIGURG', () => { throw new Error('bug'); });
`)}`;

function start(env: Record<string, string>, args: readonly string[] = []): Program {
  const settings = { DATA_DIR: emptyFolder(), SANDBOX_PORT: '0', ...env };
  const program = run([...args, 'packages/sandbox/src/process/cli.ts', '--platform'], settings);
  onTestFinished(() => void program.stop('SIGKILL'));
  return program;
}

describe('npm run sandbox -- --platform', () => {
  it.each([
    ['a list of log levels', { LOG_LEVEL: 'ERROR,WARN,VERBOSE' }],
    ['a log level in upper case', { LOG_LEVEL: 'Info' }],
    ['empty settings', { LOG_LEVEL: '', SANDBOX_HOST: '', SANDBOX_PLATFORM_PORT: ' ' }],
  ])('the sandbox process starts with %s', async (_, env: Record<string, string>) => {
    expect(JSON.parse(await start(env).line(/^\{"platformUrl"/))).toMatchObject({ control: expect.any(String) });
  });

  it.each([
    ['LOG_LEVEL', { LOG_LEVEL: 'LOUD' }],
    ['SANDBOX_PORT', { SANDBOX_PORT: 'eighty' }],
  ])('the sandbox process ends with 78 and names %s when its value is invalid', async (name, env: Record<
    string,
    string
  >) => {
    const program = start(env);
    expect(await program.ended).toBe(78);
    expect(program.lines.join('\n')).toContain(`  - ${name} must be`);
  });

  it('the sandbox process ends with 78 and names DATA_DIR when it is a file', async () => {
    const dataDir = join(emptyFolder(), 'file');
    writeFileSync(dataDir, '');
    const program = start({ DATA_DIR: dataDir });
    expect(await program.ended).toBe(78);
    expect(program.lines.join('\n')).toContain(`DATA_DIR ${dataDir} cannot be used`);
  });

  it('the sandbox process logs an unhandled rejection and an error of the operating system, and continues', async () => {
    const program = start({}, ['--import', FAILING]);
    const { control } = JSON.parse(await program.line(/^\{"platformUrl"/));
    process.kill(program.pid, 'SIGWINCH');
    expect(await program.line(/sandbox\.error\.ignored/)).toContain('boom');
    const after = program.lines.length;
    process.kill(program.pid, 'SIGCONT');
    expect(await program.line(/sandbox\.error\.ignored/, after)).toContain('reset');
    expect((await fetch(control)).status).toBe(200);
    expect(await program.stop('SIGTERM')).toBe(0);
  });

  it('the sandbox process stops with the exit code 1 after any other error', async () => {
    const program = start({}, ['--import', FAILING]);
    await program.line(/^\{"platformUrl"/);
    process.kill(program.pid, 'SIGURG');
    expect(await program.line(/sandbox\.crashed/)).toContain('bug');
    expect(await program.ended).toBe(1);
  });
});
