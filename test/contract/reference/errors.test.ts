// Checks of docs/reference/errors.md.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RETRIES } from '../../../openapi/reference/error-help.ts';
import { ERROR_CODES, ERRORS } from '../../../src/errors.ts';

const text = readFileSync('docs/reference/errors.md', 'utf8');
const rows = text.split('\n').flatMap((line) => {
  const [, code, status, retry = '', meaning = '', advice = ''] =
    /^\| `([A-Z_]+)` \| (\d{3}) \| ([a-z ]+) \| (.+) \| (.+) \|$/.exec(line) ?? [];
  return code ? [{ code, status: Number(status), retry, meaning, advice }] : [];
});
const retryOf = (code: string) => rows.find((row) => row.code === code)?.retry;

describe('docs/reference/errors.md', () => {
  it('the error reference lists each error code exactly once, with its status', () => {
    const byCode = (a: { code: string }, b: { code: string }) => a.code.localeCompare(b.code);
    const declaredCodes = ERROR_CODES.map((code) => ({ code, status: ERRORS[code].status }));
    expect(rows.map(({ code, status }) => ({ code, status })).toSorted(byCode)).toEqual(declaredCodes.toSorted(byCode));
  });

  it('the error reference gives the meaning and the advice for each code in full sentences', () => {
    const incompleteRows = rows.filter(
      ({ meaning, advice }) => !/^[A-Z].*\.$/.test(meaning) || !/^[A-Z].*\.$/.test(advice),
    );
    expect(incompleteRows).toEqual([]);
  });

  it('the error reference uses and explains every value of the column "retry"', () => {
    expect([...new Set(rows.map(({ retry }) => retry))].toSorted()).toEqual(Object.keys(RETRIES).toSorted());
    for (const word of Object.keys(RETRIES)) expect(text).toContain(`- **${word}**: `);
  });

  it('the error reference marks codes with an unknown outcome of a send with the retry "if certain"', () => {
    for (const code of ['SEND_TIMEOUT', 'SEND_INTERRUPTED', 'PLATFORM_TIMEOUT', 'PEER_LOST', 'INTERNAL']) {
      expect(retryOf(code), code).toBe('if certain');
    }
  });

  it('the error reference states that codes are stable and that wordings may change', () => {
    expect(text).toContain('Codes are stable');
    expect(text).toMatch(/Wordings\s+of\s+`message`\s+may\s+change/);
  });
});
