import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { readBytesField } from '../../../src/whatsapp/baileys/protobuf-fields.ts';

/** Encodes a length-delimited field with the number 19. */
const encodeField = (content: Uint8Array) => Buffer.concat([Buffer.from([0x9a, 0x01, content.length]), content]);
const salt = Buffer.alloc(32, 7);

describe('readBytesField', () => {
  it('readBytesField() finds a field among fields of every wire type', () => {
    const history = proto.HistorySync.encode({
      syncType: 0,
      progress: 300,
      conversations: [{ id: '1@s.whatsapp.net', messages: [{ msgOrderId: 1 }] }],
    }).finish();
    const fixed = Buffer.from([0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4]);
    expect(readBytesField(Buffer.concat([history, fixed, encodeField(salt), fixed]), 19)).toEqual(salt);
    expect(readBytesField(history, 19)).toBeNull();
  });

  it('readBytesField() returns the last of several fields with the same number', () => {
    expect(readBytesField(Buffer.concat([encodeField(Buffer.from('a')), encodeField(Buffer.from('b'))]), 19)).toEqual(
      Buffer.from('b'),
    );
  });

  it.each([
    ['a length beyond the end', [0x9a, 0x01, 0x7f, 1]],
    ['a huge length', [0x9a, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ['a varint without an end', [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['a tag without content', [0x9a]],
    ['a group', [0x9b, 0x01]],
    ['a fixed field that ends early', [0x19, 1, 2]],
  ])('readBytesField() returns undefined for %s', (_, bytes) => {
    expect(readBytesField(Buffer.concat([encodeField(salt), Buffer.from(bytes)]), 19)).toBeUndefined();
  });

  it('readBytesField() throws for none of 5,000 byte sequences', () => {
    for (let seed = 0; seed < 5_000; seed++) {
      const bytes = Uint8Array.from({ length: seed % 40 }, (_, n) => (seed * 31 + n * n * 17) % 256);
      expect(() => readBytesField(bytes, 19)).not.toThrow();
    }
  });
});
