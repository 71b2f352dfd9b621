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
  it('shows each error code exactly once, with its status', () => {
    const byCode = (a: { code: string }, b: { code: string }) => a.code.localeCompare(b.code);
    const declared = ERROR_CODES.map((code) => ({ code, status: ERRORS[code].status }));
    expect(rows.map(({ code, status }) => ({ code, status })).toSorted(byCode)).toEqual(declared.toSorted(byCode));
  });

  it('says of each code in whole sentences what it means and what to do', () => {
    const unfinished = rows.filter(
      ({ meaning, advice }) => !/^[A-Z].*\.$/.test(meaning) || !/^[A-Z].*\.$/.test(advice),
    );
    expect(unfinished).toEqual([]);
  });

  it('explains each word of the column "retry", and uses each', () => {
    expect([...new Set(rows.map(({ retry }) => retry))].toSorted()).toEqual(Object.keys(RETRIES).toSorted());
    for (const word of Object.keys(RETRIES)) expect(text).toContain(`- **${word}**: `);
  });

  it('does not call a retry of a send safe whose outcome is unknown', () => {
    for (const code of ['SEND_TIMEOUT', 'SEND_INTERRUPTED', 'PLATFORM_TIMEOUT', 'PEER_LOST', 'INTERNAL']) {
      expect(retryOf(code), code).toBe('if certain');
    }
  });

  it('says that codes are stable and wordings are not', () => {
    expect(text).toContain('Codes are stable');
    expect(text).toMatch(/Wordings\s+of\s+`message`\s+may\s+change/);
  });
});
