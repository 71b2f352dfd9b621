import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/events.ts';
import { toQuotedContent, toStoredQuote } from '../../../src/whatsapp/outbound/quoted-content.ts';

const base64 = (size: number) => Buffer.alloc(size, 1).toString('base64');
const sizeOf = (content: proto.IMessage) => proto.Message.encode(content).finish().length;

describe('quotes of view-once files', () => {
  const file = { url: 'https://mmg.example/a', directPath: '/a', mediaKey: base64(32), jpegThumbnail: base64(100) };

  it.each<[string, JsonObject]>([
    ['imageMessage', { viewOnceMessageV2: { message: { imageMessage: { ...file, mimetype: 'image/jpeg' } } } }],
    [
      'audioMessage',
      { viewOnceMessageV2Extension: { message: { audioMessage: { ...file, mimetype: 'image/jpeg' } } } },
    ],
    ['videoMessage', { videoMessage: { ...file, mimetype: 'image/jpeg', viewOnce: true } }],
  ])('the quote of a view-once %s contains the type of the file, and neither keys nor a picture', (kind, content) => {
    for (const quote of [toQuotedContent(content), toStoredQuote(content)])
      expect(proto.Message.toObject(proto.Message.create(quote))).toEqual({
        [kind]: { mimetype: 'image/jpeg', viewOnce: true },
      });
  });

  it('the quote of other content in a view-once wrapper is complete', () => {
    const content = { viewOnceMessage: { message: { interactiveMessage: { body: { text: 'Choose' } } } } };
    expect(toQuotedContent(content)).toMatchObject({ interactiveMessage: { body: { text: 'Choose' } } });
  });
});

describe('quotes of large stored messages', () => {
  it('toStoredQuote() keeps only the beginning of a long text', () => {
    const quote = toStoredQuote({ extendedTextMessage: { text: '😀'.repeat(65_536) } });
    expect(quote.extendedTextMessage?.text).toBe('😀'.repeat(512));
    expect(toStoredQuote({ conversation: 'a'.repeat(70_000) }).conversation).toBe('a'.repeat(1024));
  });

  it('toStoredQuote() keeps the short fields of a file and drops a large thumbnail', () => {
    const image = { caption: 'Look', mimetype: 'image/jpeg', width: 10, mediaKey: base64(32) };
    const quote = toStoredQuote({ imageMessage: { ...image, jpegThumbnail: base64(3_000_000) } });
    expect(quote.imageMessage).toMatchObject({ caption: 'Look', mimetype: 'image/jpeg', width: 10 });
    expect(quote.imageMessage?.mediaKey).toHaveLength(32);
    expect(sizeOf(quote)).toBeLessThan(1_000);
  });

  it('toStoredQuote() returns at most 64 KiB for any content', () => {
    const contacts = Array.from({ length: 1_000 }, () => ({ displayName: 'A', vcard: 'v'.repeat(1_000) }));
    const quote = toStoredQuote({ contactsArrayMessage: { displayName: '1000 contacts', contacts } });
    expect(quote.contactsArrayMessage?.displayName).toBe('1000 contacts');
    expect(sizeOf(quote)).toBeLessThan(65_536);
  });

  it('toStoredQuote() does not change a message of up to 64 KiB', () => {
    const text = 'a'.repeat(65_000);
    const content = { imageMessage: { caption: 'Look', jpegThumbnail: base64(60_000) } };
    expect(toStoredQuote({ conversation: text }).conversation).toBe(text);
    expect(toStoredQuote(content).imageMessage?.jpegThumbnail).toHaveLength(60_000);
  });
});
