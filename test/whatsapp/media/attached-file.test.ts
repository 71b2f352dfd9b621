import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/events.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';
import { attachedFileOf, fileFieldsOf } from '../../../src/whatsapp/media/attached-file.ts';

const mediaKey = Buffer.alloc(32, 1);
const hash = Buffer.alloc(32, 2);
const file = { mediaKey, directPath: '/v/x.enc?oh=1', url: 'https://mmg.whatsapp.net/v/x.enc', fileLength: 70_001 };
const image = { imageMessage: { ...file, fileSha256: hash, fileEncSha256: hash, mimetype: 'image/jpeg' } };

describe('the file of a message', () => {
  it.each([
    'image',
    'video',
    'audio',
    'document',
    'sticker',
    'ptv',
  ] as const)('attachedFileOf finds the file of a stored message: %s', (kind) => {
    const content = toJson({ [`${kind}Message`]: { ...file, mimetype: 'a/b' } });
    expect(attachedFileOf(content)).toMatchObject({
      ...{ kind, mediaKey, directPath: file.directPath, url: file.url },
      ...{ fileLength: 70_001, mimetype: 'a/b', fileSha256: undefined, fileName: undefined },
    });
  });

  it.each<[string, proto.IMessage]>([
    ['ephemeral', { ephemeralMessage: { message: image } }],
    ['view once', { viewOnceMessage: { message: image } }],
    ['view once, of later clients', { viewOnceMessageV2: { message: image } }],
    ['view once voice', { viewOnceMessageV2Extension: { message: image } }],
    ['document with caption', { documentWithCaptionMessage: { message: image } }],
    ['both', { ephemeralMessage: { message: { viewOnceMessageV2: { message: image } } } }],
  ])('attachedFileOf finds a file inside wrappers: %s', (_, content) => {
    expect(attachedFileOf(toJson(content))).toMatchObject({ kind: 'image', fileSha256: hash, fileEncSha256: hash });
  });

  it('attachedFileOf returns nothing without a key, a path or a file', () => {
    const without = (change: proto.Message.IImageMessage) =>
      attachedFileOf(toJson({ imageMessage: { ...image.imageMessage, ...change } }));
    expect(without({})).toBeDefined();
    expect(without({ mediaKey: Buffer.alloc(31) })).toBeUndefined();
    expect(without({ directPath: '' })).toBeUndefined();
    expect(without({ directPath: '@evil.example/x' })).toBeUndefined();
    for (const content of [{}, { conversation: 'hi' }, { imageMessage: 'x' }, { imageMessage: [] }] as JsonObject[])
      expect(attachedFileOf(content)).toBeUndefined();
    const quoted = proto.Message.create({ extendedTextMessage: { contextInfo: { quotedMessage: image } } });
    expect(attachedFileOf(toJson(quoted))).toBeUndefined();
  });

  it('attachedFileOf accepts an unencrypted file with a hash', () => {
    const post = { directPath: '/m1/v/x', fileSha256: hash };
    const of = (change: proto.Message.IImageMessage) =>
      attachedFileOf(toJson({ imageMessage: { ...post, ...change } }));
    expect(of({})).toMatchObject({ mediaKey: undefined, fileSha256: hash, directPath: '/m1/v/x' });
    expect(of({ fileSha256: Buffer.alloc(31) })).toBeUndefined();
    expect(of({ fileEncSha256: hash })).toBeUndefined();
  });

  it('fileFieldsOf returns the object of the message itself', () => {
    const content = toJson({ ephemeralMessage: { message: image } });
    const found = fileFieldsOf(content);
    if (found) found.file.directPath = '/v/new';
    expect(attachedFileOf(content)?.directPath).toBe('/v/new');
  });

  it("attachedFileOf returns no length when the sender's length is invalid", () => {
    for (const fileLength of ['-1', 'x', '9'.repeat(30), '1.5'])
      expect(
        attachedFileOf({
          imageMessage: { mediaKey: mediaKey.toString('base64'), directPath: '/v', fileLength },
        })?.fileLength,
      ).toBeUndefined();
  });
});
