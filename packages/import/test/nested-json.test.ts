import { describe, expect, it } from 'vitest';
import { parseNestedJson } from '../src/nested-json.ts';

const label = 'creds of session 4f1c';
const wrap = (value: unknown, times: number): string =>
  times === 0 ? JSON.stringify(value) : JSON.stringify(wrap(value, times - 1));

describe('JSON inside JSON', () => {
  it.each([0, 1, 2])('is parsed when it is wrapped %i times and 3 levels are allowed', (times) => {
    expect(parseNestedJson(wrap({ a: [1, 'b'] }, times), { label, levels: 3 })).toEqual({ a: [1, 'b'] });
  });

  it('is refused once too often, with the name of the text', () => {
    expect(() => parseNestedJson(wrap({ a: 1 }, 2), { label, levels: 2 })).toThrow(
      'creds of session 4f1c is JSON inside JSON more than once.',
    );
  });

  it('leaves texts that are values, such as a LID of digits', () => {
    expect(parseNestedJson('"12345"', { label, levels: 3 })).toBe('12345');
    expect(parseNestedJson(wrap('12345', 1), { label, levels: 2 })).toBe('12345');
    expect(parseNestedJson('null', { label, levels: 2 })).toBeNull();
  });

  it('is refused when it is damaged, without showing any of it', () => {
    const damaged = wrap({ secret: 'private' }, 1).slice(0, -4);
    const read = () => parseNestedJson(damaged, { label, levels: 2 });
    expect(read).toThrow('creds of session 4f1c is no valid JSON: it is damaged or incomplete.');
    expect(read).not.toThrow(/private/);
    expect(() => parseNestedJson('', { label, levels: 2 })).toThrow('no valid JSON');
  });

  it('is refused when it is nested too deep, at any level', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => parseNestedJson(deep, { label, levels: 1 })).toThrow('is nested deeper than 64 levels');
    expect(() => parseNestedJson(JSON.stringify(deep), { label, levels: 2 })).toThrow(
      'is nested deeper than 64 levels',
    );
  });

  it('is refused when it is larger or has more values than a session can have', () => {
    expect(() => parseNestedJson(`[${'0,'.repeat(2_000_000)}0]`, { label, levels: 1 })).toThrow('2000000 values');
    expect(() => parseNestedJson(`"${'x'.repeat(17 * 2 ** 20)}"`, { label, levels: 1 })).toThrow('larger than 16 MiB');
  });
});
