import { describe, expect, it } from 'vitest';
import { fromCursor, toCursor } from '../../src/events/event-cursor.ts';

const AT = 1_800_000_000_000;
const parse = (cursor: string, oldest = AT - 1000, instanceId = 'shop') =>
  fromCursor(cursor, { instanceId, field: 'after', oldestMs: oldest });

describe('cursors', () => {
  it('fromCursor() returns the position that toCursor() encoded', () => {
    for (const seq of [0, 1, 123_456_789_012]) {
      expect(parse(toCursor('shop', { seq, at: AT }))).toEqual({ seq, at: AT });
    }
  });

  it('a cursor of another instance, or from before the retention, is refused as expired', () => {
    const cursor = toCursor('shop', { seq: 7, at: AT });
    expect(() => parse(cursor, AT - 1000, 'other')).toThrow('CURSOR_EXPIRED');
    expect(() => parse(cursor, AT + 1)).toThrow('CURSOR_EXPIRED');
    expect(parse(cursor, AT)).toEqual({ seq: 7, at: AT });
  });

  it.each([
    '',
    'x',
    '12',
    Buffer.from('abcdef01.zz').toString('base64url'),
    'é'.repeat(50),
  ])('the error for an invalid cursor (%j) names its field', (cursor) => {
    expect(() => parse(cursor)).toThrow(/INVALID_REQUEST.*"after\\"/);
  });
});
