import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES, toExitReport } from '../../src/app/exit-codes.ts';
import { GatewayError } from '../../src/errors.ts';
import { TemporarilyUnavailableError } from '../../src/lib/startup-errors.ts';

const createListenError = (code: string) =>
  Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen', port: 80, address: '0.0.0.0' });

describe('toExitReport', () => {
  it.each([
    ['a port in use', createListenError('EADDRINUSE'), 69],
    ['a port that requires other permissions', createListenError('EACCES'), 78],
    ['a server that is temporarily unavailable', new TemporarilyUnavailableError('The database is not there'), 69],
    ['a database failure', new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available'), 69],
    ['a wrong database key', new GatewayError('STORAGE_UNREADABLE', 'The database was encrypted with another key'), 78],
    ['an error text for the operator', new Error('DATA_DIR cannot be used'), 78],
    ['a programming error', new TypeError('x is not a function'), 1],
    ['a thrown value that is not an error', 'x', 1],
  ])('toExitReport() returns the exit code for %s', (_, error, code) =>
    expect(toExitReport(error, 'PORT').code).toBe(code));

  it('toExitReport() returns one sentence, or the stack trace of a programming error', () => {
    expect(toExitReport(createListenError('EADDRINUSE'), 'PORT').text).toMatch(/^port 80 is in use\. .*PORT\.$/);
    expect(toExitReport(new Error('DATA_DIR cannot be used'), 'PORT').text).toBe('DATA_DIR cannot be used');
    expect(toExitReport(new TypeError('x'), 'PORT').text).toContain('exit-codes.test.ts');
  });

  it('docs/operate/troubleshooting.md lists every exit code', () => {
    const page = readFileSync(new URL('../../docs/operate/troubleshooting.md', import.meta.url), 'utf8');
    const table = /\| exit code \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(page)?.[1] ?? '';
    const codes = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT_CODES));
  });
});
