import { describe, expect, it } from 'vitest';
import { JsonShape, type ShapeLimits } from '../../src/lib/json-shape.ts';

const limits: ShapeLimits = { values: 10, depth: 4, escapes: 3 };

/** What is exceeded by the text, in pieces of every length that gives the same answer. */
function exceeded(text: string): keyof ShapeLimits | undefined {
  const bytes = Buffer.from(text);
  const answers = new Set<keyof ShapeLimits | undefined>();
  for (let length = 1; length <= bytes.length; length++) {
    const shape = new JsonShape(limits);
    let answer: keyof ShapeLimits | undefined;
    for (let at = 0; at < bytes.length && !answer; at += length) answer = shape.add(bytes.subarray(at, at + length));
    answers.add(answer);
  }
  expect([...answers], text).toHaveLength(1);
  return [...answers][0];
}

describe('the shape of a JSON text', () => {
  it.each([
    ['{}', undefined],
    ['{"a":"b"}', undefined],
    ['[[[[]]]]', undefined],
    ['[[[[[]]]]]', 'depth'],
    ['{"a":{"b":{"c":{"d":{}}}}}', 'depth'],
    ['[1,2,3,4,5,6,7,8,9]', undefined],
    ['[1,2,3,4,5,6,7,8,9,10,11]', 'values'],
    ['[{},{},{},{},{},{}]', 'values'],
    ['{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}', 'values'],
    ['"\\u0041\\u0041\\u0041"', undefined],
    ['"\\n\\n\\n\\n"', 'escapes'],
    ['{"\\"":1}', undefined],
  ])('is what it has outside of its strings: %s → %s', (text, what) => {
    expect(exceeded(text)).toBe(what);
  });

  it.each([
    ['"[[[[[[[[,,,,,,,,,,,,{{{{{{{"'],
    ['["\\"[[[[[[[[", "\\\\"]'],
    ['{"a\\\\":"[[[[[[[[[["}'],
    [`"${'x'.repeat(200)}"`],
    ['"é🙂[[[[[[[[[[🙂"'],
  ])('does not count what is written inside of a string: %s', (text) => {
    expect(exceeded(text)).toBeUndefined();
  });

  it('goes on behind a string that ends in an escaped backslash', () => {
    expect(exceeded('["\\\\",[[[[]]]]]')).toBe('depth');
    expect(exceeded('["\\"",[[[[]]]]]')).toBe('depth');
  });

  it.each([250, 255, 256, 257, 510, 600])('finds the end of a string of %i characters, and its escapes', (length) => {
    const text = 'x'.repeat(length);
    expect(exceeded(`["${text}",[[[[]]]]]`)).toBe('depth');
    expect(exceeded(`["${text}\\"",[[[[]]]]]`)).toBe('depth');
    expect(exceeded(`["${text}\\\\","[[[[[[[["]`)).toBeUndefined();
    expect(exceeded(`["${text}\\n${text}\\n${text}\\n"]`)).toBeUndefined();
    expect(exceeded(`["${text}\\n${text}\\n${text}\\n${text}\\n"]`)).toBe('escapes');
  });
});
