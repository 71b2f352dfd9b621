import { describe, expect, it } from 'vitest';
import { run } from '../support/process.ts';

const modules = new URL('../../src/', import.meta.url);

/** Starts a process with installTermination() that runs `code`. It prints "alive" while its event loop continues. */
const runCode = (code: string, level = 'info') =>
  run([
    '--input-type=module',
    '--eval',
    `import { EventEmitter } from 'node:events';
     import pino from 'pino';
     import { installTermination } from '${new URL('app/termination.ts', modules)}';
     import { runOwnedBy } from '${new URL('lib/containment.ts', modules)}';
     const stop = async (signal) => void process.stdout.write('stopped by ' + signal + '\\n');
     installTermination({ name: 'gateway', stopTimeoutMs: 5000, log: pino({ level: '${level}' }), stop });
     const owner = { fail: (error) => process.stdout.write('owner: ' + error.message + '\\n') };
     const failed = Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' });
     setInterval(() => process.stdout.write('alive\\n'), 200);
     setTimeout(() => { ${code} }, 1);`,
  ]);

const THROW_ERROR = "throw new TypeError('boom')";

describe('unhandled errors', () => {
  it.each([
    ['is thrown', THROW_ERROR],
    ['is thrown later', `process.nextTick(() => setImmediate(() => { ${THROW_ERROR} }))`],
  ])('installTermination() exits with 1 and one line on standard error at every log level after an error: it %s', async (_how, code) => {
    for (const level of ['info', 'silent']) {
      const program = runCode(code, level);
      expect(await program.ended).toBe(1);
      const errorLines = program.lines.filter((line) => line.startsWith('gateway: '));
      expect(errorLines).toEqual([
        expect.stringMatching(/^gateway: stops because of an error that nothing handled: TypeError: boom \(at .*\)$/),
      ]);
      expect(program.lines).toContain('stopped by undefined');
      expect(program.lines.some((line) => line.includes('gateway.crashed'))).toBe(level === 'info');
    }
  });

  it.each([
    ['an error that is thrown in a microtask', `runOwnedBy(owner, () => queueMicrotask(() => { ${THROW_ERROR} }))`],
    ['an error that is thrown later', `runOwnedBy(owner, () => setImmediate(() => { ${THROW_ERROR} }))`],
    ['a rejection', `runOwnedBy(owner, async () => { ${THROW_ERROR} })`],
    ['a rejection after 20 ms', `runOwnedBy(owner, () => setTimeout(() => Promise.reject(new Error('boom')), 20))`],
  ])('installTermination() ends only the owner of an unhandled error: %s', async (_how, code) => {
    const program = runCode(code);
    await program.line(/^owner: boom$/);
    await program.line(/^alive$/, program.lines.length);
    expect(await program.stop()).toBe(0);
  });

  it.each([
    ['a rejection without an owner', "Promise.reject(new Error('boom'))"],
    ['a failed system call', "new EventEmitter().emit('error', failed)"],
  ])('installTermination() only logs an unhandled error that leaves the state of the process intact: %s', async (_what, code) => {
    const program = runCode(code);
    await program.line(/process\.error\.ignored/);
    await program.line(/^alive$/, program.lines.length);
    expect(await program.stop()).toBe(0);
    expect(program.lines.filter((line) => line.startsWith('gateway: '))).toEqual([]);
  });
});

describe('failed stops', () => {
  it('installTermination() writes the reason of a failed stop to standard error, even with the log level silent', async () => {
    const program = run([
      '--input-type=module',
      '--eval',
      `import pino from 'pino';
       import { installTermination } from '${new URL('app/termination.ts', modules)}';
       installTermination({ name: 'gateway', stopTimeoutMs: 5000, log: pino({ level: 'silent' }), stop: async () => { ${THROW_ERROR} } });
       setInterval(() => undefined, 1000);
       process.stdout.write('ready\\n');`,
    ]);
    await program.line(/ready/);
    expect(await program.stop()).toBe(1);
    expect(program.lines.at(-1)).toMatch(/^gateway: the stop was forced: TypeError: boom/);
  });
});

describe('log of a stop', () => {
  it('a process that stops writes all lines of its log in order, also when the thread pool is busy', async () => {
    const program = run([
      '--input-type=module',
      '--eval',
      `import { scrypt } from 'node:crypto';
       import { createLogger } from '${new URL('observability/logger.ts', modules)}';
       import { installTermination } from '${new URL('app/termination.ts', modules)}';
       const log = createLogger({ logLevel: 'info' });
       const stop = async () => {
         // A destination of pino writes in one of the four threads of the pool.
         for (let n = 0; n < 8; n++) scrypt('password', 'salt', 64, { N: 2 ** 13 }, () => undefined);
         log.info('first line');
         log.info('last line');
       };
       installTermination({ name: 'gateway', stopTimeoutMs: 60_000, log, stop });
       setInterval(() => undefined, 1000);
       process.stdout.write('ready\\n');`,
    ]);
    await program.line(/ready/);
    expect(await program.stop()).toBe(0);
    expect(program.lines.at(-1)).toContain('last line');
  });
});
