import { describe, expect, it } from 'vitest';
import { fromCursor, toCursor } from '../../src/events/event-cursor.ts';

const AT = 1_800_000_000_000;
const read = (cursor: string, oldest = AT - 1000, instanceId = 'shop') =>
  fromCursor(cursor, { instanceId, field: 'after', oldestMs: oldest });

describe('a cursor', () => {
  it('a cursor parses to its position', () => {
    for (const seq of [0, 1, 123_456_789_012]) {
      expect(read(toCursor('shop', { seq, at: AT }))).toEqual({ seq, at: AT });
    }
  });

  it('a cursor of another instance, or from before the retention, is refused as expired', () => {
    const cursor = toCursor('shop', { seq: 7, at: AT });
    expect(() => read(cursor, AT - 1000, 'other')).toThrow('CURSOR_EXPIRED');
    expect(() => read(cursor, AT + 1)).toThrow('CURSOR_EXPIRED');
    expect(read(cursor, AT)).toEqual({ seq: 7, at: AT });
  });

  it.each([
    '',
    'x',
    '12',
    Buffer.from('abcdef01.zz').toString('base64url'),
    'é'.repeat(50),
  ])('an invalid cursor (%j) is refused by the name of its field', (cursor) => {
    expect(() => read(cursor)).toThrow(/INVALID_REQUEST.*"after\\"/);
  });
});
