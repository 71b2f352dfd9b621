import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/events.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';
import { attachedFileOf, fileFieldsOf } from '../../../src/whatsapp/media/attached-file.ts';

const mediaKey = Buffer.alloc(32, 1);
const hash = Buffer.alloc(32, 2);
const file = { mediaKey, directPath: '/v/x.enc?oh=1', url: 'https://mmg.whatsapp.net/v/x.enc', fileLength: 70_001 };
const image = { imageMessage: { ...file, fileSha256: hash, fileEncSha256: hash, mimetype: 'image/jpeg' } };

describe('attachedFileOf and fileFieldsOf', () => {
  it.each([
    'image',
    'video',
    'audio',
    'document',
    'sticker',
    'ptv',
  ] as const)('attachedFileOf() finds the file of a stored message: %s', (kind) => {
    const content = toJson({ [`${kind}Message`]: { ...file, mimetype: 'a/b' } });
    expect(attachedFileOf(content)).toMatchObject({
      ...{ kind, mediaKey, directPath: file.directPath, url: file.url },
      ...{ fileLength: 70_001, mimetype: 'a/b', fileSha256: undefined, fileName: undefined },
    });
  });

  it.each<[string, proto.IMessage]>([
    ['ephemeral', { ephemeralMessage: { message: image } }],
    ['view once', { viewOnceMessage: { message: image } }],
    ['view once V2', { viewOnceMessageV2: { message: image } }],
    ['view once voice', { viewOnceMessageV2Extension: { message: image } }],
    ['document with caption', { documentWithCaptionMessage: { message: image } }],
    ['ephemeral and view once V2', { ephemeralMessage: { message: { viewOnceMessageV2: { message: image } } } }],
  ])('attachedFileOf() finds a file inside wrappers: %s', (_, content) => {
    expect(attachedFileOf(toJson(content))).toMatchObject({ kind: 'image', fileSha256: hash, fileEncSha256: hash });
  });

  it('attachedFileOf() returns undefined without a valid key, a valid path or a file', () => {
    const fileWith = (change: proto.Message.IImageMessage) =>
      attachedFileOf(toJson({ imageMessage: { ...image.imageMessage, ...change } }));
    expect(fileWith({})).toBeDefined();
    expect(fileWith({ mediaKey: Buffer.alloc(31) })).toBeUndefined();
    expect(fileWith({ directPath: '' })).toBeUndefined();
    expect(fileWith({ directPath: '@evil.example/x' })).toBeUndefined();
    for (const content of [{}, { conversation: 'hi' }, { imageMessage: 'x' }, { imageMessage: [] }] as JsonObject[])
      expect(attachedFileOf(content)).toBeUndefined();
    const quoted = proto.Message.create({ extendedTextMessage: { contextInfo: { quotedMessage: image } } });
    expect(attachedFileOf(toJson(quoted))).toBeUndefined();
  });

  it('attachedFileOf() accepts an unencrypted file with a valid hash', () => {
    const post = { directPath: '/m1/v/x', fileSha256: hash };
    const fileOf = (change: proto.Message.IImageMessage) =>
      attachedFileOf(toJson({ imageMessage: { ...post, ...change } }));
    expect(fileOf({})).toMatchObject({ mediaKey: undefined, fileSha256: hash, directPath: '/m1/v/x' });
    expect(fileOf({ fileSha256: Buffer.alloc(31) })).toBeUndefined();
    expect(fileOf({ fileEncSha256: hash })).toBeUndefined();
  });

  it('fileFieldsOf() returns the object in the message and not a copy', () => {
    const content = toJson({ ephemeralMessage: { message: image } });
    const found = fileFieldsOf(content);
    if (found) found.file.directPath = '/v/new';
    expect(attachedFileOf(content)?.directPath).toBe('/v/new');
  });

  it('attachedFileOf() omits an invalid file length of the sender', () => {
    for (const fileLength of ['-1', 'x', '9'.repeat(30), '1.5'])
      expect(
        attachedFileOf({
          imageMessage: { mediaKey: mediaKey.toString('base64'), directPath: '/v', fileLength },
        })?.fileLength,
      ).toBeUndefined();
  });
});
