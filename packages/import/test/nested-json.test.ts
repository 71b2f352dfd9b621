import { describe, expect, it } from 'vitest';
import { parseNestedJson } from '../src/lib/nested-json.ts';

const label = 'creds of session 4f1c';
const wrap = (value: unknown, times: number): string =>
  times === 0 ? JSON.stringify(value) : JSON.stringify(wrap(value, times - 1));

describe('parseNestedJson()', () => {
  it.each([0, 1, 2])('parseNestedJson() parses JSON that is wrapped %i times when 3 levels are allowed', (times) => {
    expect(parseNestedJson(wrap({ a: [1, 'b'] }, times), { label, levels: 3 })).toEqual({ a: [1, 'b'] });
  });

  it('parseNestedJson() rejects JSON with too many levels and names the text', () => {
    expect(() => parseNestedJson(wrap({ a: 1 }, 2), { label, levels: 2 })).toThrow(
      'creds of session 4f1c is JSON inside JSON more than once.',
    );
  });

  it('parseNestedJson() keeps texts that are values, such as the digits of a LID', () => {
    expect(parseNestedJson('"12345"', { label, levels: 3 })).toBe('12345');
    expect(parseNestedJson(wrap('12345', 1), { label, levels: 2 })).toBe('12345');
    expect(parseNestedJson('null', { label, levels: 2 })).toBeNull();
  });

  it('parseNestedJson() rejects damaged JSON without showing any of it', () => {
    const damaged = wrap({ secret: 'private' }, 1).slice(0, -4);
    const read = () => parseNestedJson(damaged, { label, levels: 2 });
    expect(read).toThrow('creds of session 4f1c is no valid JSON: it is damaged or incomplete.');
    expect(read).not.toThrow(/private/);
    expect(() => parseNestedJson('', { label, levels: 2 })).toThrow('no valid JSON');
  });

  it('parseNestedJson() rejects JSON that is nested too deep, at any level', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => parseNestedJson(deep, { label, levels: 1 })).toThrow('is nested deeper than 64 levels');
    expect(() => parseNestedJson(JSON.stringify(deep), { label, levels: 2 })).toThrow(
      'is nested deeper than 64 levels',
    );
  });

  it('parseNestedJson() rejects JSON with too many values or a size over 16 MiB', () => {
    expect(() => parseNestedJson(`[${'0,'.repeat(2_000_000)}0]`, { label, levels: 1 })).toThrow('2000000 values');
    expect(() => parseNestedJson(`"${'x'.repeat(17 * 2 ** 20)}"`, { label, levels: 1 })).toThrow('larger than 16 MiB');
  });
});
