import { describe, expect, it } from 'vitest';
import { toWholeNumber } from '../../src/lib/whole-number.ts';

const withoutPrototype = (members: object): unknown => Object.assign(Object.create(null), members);

describe('toWholeNumber', () => {
  it.each([
    [7, 7],
    ['007', 7],
    [' 12 ', 12],
    [{ low: 5, high: 0, unsigned: true }, 5],
    [{ low: -1, high: 1, unsigned: false }, 2 ** 33 - 1],
    [{ low: 0, high: 0x001f_ffff, unsigned: true }, 0x001f_ffff * 2 ** 32],
    [withoutPrototype({ low: 5, high: 0, unsigned: true }), 5],
  ])('toWholeNumber() converts %j to %d', (value, expected) => {
    expect(toWholeNumber(value)).toBe(expected);
  });

  it.each([
    [-1],
    [1.5],
    [Number.NaN],
    [''],
    ['-1'],
    ['0x10'],
    ['1e3'],
    ['1.0'],
    ['9007199254740992'],
    [null],
    [undefined],
    [true],
    [{ low: -1, high: -1, unsigned: false }],
    [{ low: -1, high: -1, unsigned: true }],
    [{ low: 0, high: 0x0020_0000, unsigned: true }],
    [{ unsigned: true }],
    [{ low: 'x', high: 0, unsigned: true }],
    [withoutPrototype({ unsigned: true })],
  ])('toWholeNumber() returns undefined for %j', (value) => {
    expect(toWholeNumber(value)).toBeUndefined();
  });
});
