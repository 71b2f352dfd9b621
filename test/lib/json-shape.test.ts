import { describe, expect, it } from 'vitest';
import { JsonShape, type ShapeLimits } from '../../src/lib/json-shape.ts';

const limits: ShapeLimits = { values: 10, depth: 4, escapes: 3 };

/** The limit that the text exceeds. Expects the same result for chunks of every length. */
function exceededLimit(text: string): keyof ShapeLimits | undefined {
  const bytes = Buffer.from(text);
  const results = new Set<keyof ShapeLimits | undefined>();
  for (let length = 1; length <= bytes.length; length++) {
    const shape = new JsonShape(limits);
    let result: keyof ShapeLimits | undefined;
    for (let at = 0; at < bytes.length && !result; at += length) result = shape.add(bytes.subarray(at, at + length));
    results.add(result);
  }
  expect([...results], text).toHaveLength(1);
  return [...results][0];
}

describe('JsonShape', () => {
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
  ])('JsonShape counts the structure of the text %s and reports the exceeded limit: %s', (text, expected) => {
    expect(exceededLimit(text)).toBe(expected);
  });

  it.each([
    ['"[[[[[[[[,,,,,,,,,,,,{{{{{{{"'],
    ['["\\"[[[[[[[[", "\\\\"]'],
    ['{"a\\\\":"[[[[[[[[[["}'],
    [`"${'x'.repeat(200)}"`],
    ['"é🙂[[[[[[[[[[🙂"'],
  ])('JsonShape does not count the content of a string: %s', (text) => {
    expect(exceededLimit(text)).toBeUndefined();
  });

  it('JsonShape continues to count after a string that ends with an escaped backslash or quote', () => {
    expect(exceededLimit('["\\\\",[[[[]]]]]')).toBe('depth');
    expect(exceededLimit('["\\"",[[[[]]]]]')).toBe('depth');
  });

  it.each([
    250, 255, 256, 257, 510, 600,
  ])('JsonShape finds the end and the escapes of a string of %i characters', (length) => {
    const text = 'x'.repeat(length);
    expect(exceededLimit(`["${text}",[[[[]]]]]`)).toBe('depth');
    expect(exceededLimit(`["${text}\\"",[[[[]]]]]`)).toBe('depth');
    expect(exceededLimit(`["${text}\\\\","[[[[[[[["]`)).toBeUndefined();
    expect(exceededLimit(`["${text}\\n${text}\\n${text}\\n"]`)).toBeUndefined();
    expect(exceededLimit(`["${text}\\n${text}\\n${text}\\n${text}\\n"]`)).toBe('escapes');
  });
});
