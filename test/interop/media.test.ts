// Files of every kind between the client and the instance, compared byte for byte, and files that the server lost.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MediaType, UploadMediaResult } from 'whatsapp-interop-client';
import type { proto } from 'whatsapp-interop-client/proto-types';
import { at, textAt } from '../support/api.ts';
import { KEY } from '../support/gateway.ts';
import { convert, ffmpegPath, tone } from '../support/sounds.ts';
import { control, sendAs } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage({ env: { FFMPEG_PATH: ffmpegPath } });
const file = randomBytes(300_001);
const film = readFileSync('test/clients/film.mp4');
let picture: Buffer;
let sound: Buffer;

beforeAll(async () => {
  const create = { width: 640, height: 480, channels: 3, background: '#c08040' } as const;
  picture = await sharp({ create }).jpeg().toBuffer();
  sound = convert(tone(1), 'mp3');
});

type FileFields = Pick<
  proto.Message.IImageMessage,
  'url' | 'directPath' | 'mediaKey' | 'fileSha256' | 'fileEncSha256' | 'fileLength'
>;

/** Uploads as the client does and returns the fields of the message. */
async function upload(bytes: Uint8Array, type: MediaType): Promise<FileFields> {
  const stored: UploadMediaResult = await stage.client.engine.uploadMedia(bytes, type);
  return { ...stored, mediaKeyTimestamp: Math.floor(Date.now() / 1000) } as FileFields;
}

/** Downloads as the client does. */
function download({ directPath, mediaKey, fileSha256, fileEncSha256, fileLength }: FileFields, type: MediaType) {
  if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256) throw new Error('the message has no file');
  return stage.client.engine.downloadMedia(directPath, mediaKey, fileSha256, fileEncSha256, Number(fileLength), type);
}

/** The bytes that the gateway returns for the message in a webhook. */
async function fetchFile(data: unknown): Promise<Buffer> {
  const { pathname, search } = new URL(textAt(data, 'message.mediaUrl'));
  const response = await fetch(stage.api.url + pathname + search, { headers: { apikey: KEY } });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe('the instance receives from the client', () => {
  const kinds: [string, MediaType, (fields: FileFields) => proto.IMessage][] = [
    ['an image', 'image', (f) => ({ imageMessage: { ...f, mimetype: 'image/jpeg', caption: 'look' } })],
    ['a video', 'video', (f) => ({ videoMessage: { ...f, mimetype: 'video/mp4', seconds: 3 } })],
    ['a GIF', 'video', (f) => ({ videoMessage: { ...f, mimetype: 'video/mp4', gifPlayback: true } })],
    ['a video note', 'video', (f) => ({ ptvMessage: { ...f, mimetype: 'video/mp4', seconds: 3 } })],
    ['an audio file', 'audio', (f) => ({ audioMessage: { ...f, mimetype: 'audio/mpeg', seconds: 3 } })],
    ['a voice note', 'audio', (f) => ({ audioMessage: { ...f, mimetype: 'audio/ogg; codecs=opus', ptt: true } })],
    [
      'a document',
      'document',
      (f) => ({ documentMessage: { ...f, mimetype: 'application/pdf', fileName: 'Preço.pdf', title: 'Preço' } }),
    ],
    ['a sticker', 'sticker', (f) => ({ stickerMessage: { ...f, mimetype: 'image/webp' } })],
  ];

  it.each(kinds)('%s', async (_name, type, toContent) => {
    const data = await stage.fromClient(toContent(await upload(file, type)));
    expect((await fetchFile(data)).equals(file)).toBe(true);
  });

  it('an empty file and one of 6 MB, which is uploaded in parts', async () => {
    for (const bytes of [Buffer.alloc(0), randomBytes(6_000_000)]) {
      const fields = await upload(bytes, 'document');
      const data = await stage.fromClient({ documentMessage: { ...fields, mimetype: 'a/b', fileName: 'x.bin' } });
      expect((await fetchFile(data)).equals(bytes)).toBe(true);
    }
  });

  it('an image inside of a message that disappears, and a document with caption', async () => {
    const imageMessage = { ...(await upload(file, 'image')), mimetype: 'image/jpeg' };
    const ephemeral = await stage.fromClient({ ephemeralMessage: { message: { imageMessage } } });
    expect((await fetchFile(ephemeral)).equals(file)).toBe(true);
    const documentMessage = { ...(await upload(file, 'document')), mimetype: 'a/b', caption: 'the offer' };
    const captioned = await stage.fromClient({ documentWithCaptionMessage: { message: { documentMessage } } });
    expect((await fetchFile(captioned)).equals(file)).toBe(true);
  });

  it('a view-once image', async () => {
    const imageMessage = { ...(await upload(file, 'image')), mimetype: 'image/jpeg', viewOnce: true };
    const data = await stage.fromClient({ viewOnceMessageV2: { message: { imageMessage } } });
    expect(JSON.stringify(data)).toContain('viewOnce');
  });
});

describe('the client receives from the instance', () => {
  const kinds: [string, object, () => Buffer, MediaType, (content: proto.IMessage) => FileFields | null | undefined][] =
    [
      ['an image', { mediatype: 'image' }, () => picture, 'image', (c) => c.imageMessage],
      ['a video', { mediatype: 'video' }, () => film, 'video', (c) => c.videoMessage],
      ['an audio file', { mediatype: 'audio' }, () => sound, 'audio', (c) => c.audioMessage],
      ['a document', { mediatype: 'document', fileName: 'x.bin' }, () => file, 'document', (c) => c.documentMessage],
    ];

  it.each(kinds)('%s', async (_name, body, bytes, type, fieldsOf) => {
    const { content } = await stage.fromShop('sendMedia', { ...body, media: bytes().toString('base64') });
    expect(Buffer.from(await download(fieldsOf(content) ?? {}, type)).equals(bytes())).toBe(true);
  });

  it('a photo with its preview and size', async () => {
    const body = { mediatype: 'image', media: picture.toString('base64'), caption: 'sunset' };
    const { imageMessage } = (await stage.fromShop('sendMedia', body)).content;
    expect(imageMessage).toMatchObject({ caption: 'sunset', width: 640, height: 480 });
    expect((await sharp(imageMessage?.jpegThumbnail ?? undefined).metadata()).format).toBe('jpeg');
    expect(Buffer.from(await download(imageMessage ?? {}, 'image')).equals(picture)).toBe(true);
  });

  it('a voice note', async () => {
    const { content } = await stage.fromShop('sendWhatsAppAudio', { audio: tone(1).toString('base64') });
    expect(content.audioMessage).toMatchObject({ ptt: true, seconds: 1 });
    const bytes = Buffer.from(await download(content.audioMessage ?? {}, 'audio'));
    expect(bytes.subarray(0, 4).toString()).toBe('OggS');
  });

  it('a sticker and a video note', async () => {
    const sticker = await stage.fromShop('sendSticker', { sticker: picture.toString('base64') });
    const webp = Buffer.from(await download(sticker.content.stickerMessage ?? {}, 'sticker'));
    expect(await sharp(webp).metadata()).toMatchObject({ format: 'webp', width: 512 });
    const note = await stage.fromShop('sendPtv', { video: film.toString('base64') });
    const bytes = Buffer.from(await download(note.content.ptvMessage ?? {}, 'video'));
    expect(bytes.equals(film)).toBe(true);
  });

  it('an album', async () => {
    const parts = [picture, picture].map((each) => ({ mediatype: 'image', media: each.toString('base64') }));
    const { content } = await stage.fromShop('sendAlbum', { medias: parts });
    expect(content.albumMessage).toMatchObject({ expectedImageCount: 2 });
  });

  it('a placeholder of a view-once image, whose file the phone alone shows', async () => {
    const sent = await stage.call('POST', '/message/sendMedia/shop', {
      ...{ number: stage.ada.number, mediatype: 'image', media: picture.toString('base64'), viewOnce: true },
    });
    const id = textAt(sent, 'key.id');
    await stage.status(id, 'DELIVERY_ACK');
    const kept = await control(stage.platform, 'GET', `/phones/${stage.ada.number}/messages`);
    expect([kept].flat().find((message) => at(message, 'id') === id)).toMatchObject({ viewOnce: true });
  });
});

describe('a file that the server has no more', () => {
  it('is uploaded again by the phone of the instance, when the instance fetches it', async () => {
    const imageMessage = { ...(await upload(picture, 'image')), mimetype: 'image/jpeg' };
    const data = await stage.fromClient({ imageMessage });
    await control(stage.platform, 'POST', '/faults', { kind: 'download', code: 404 });
    expect((await fetchFile(data)).equals(picture)).toBe(true);
  });

  it('is uploaded again by the phone that sent it, when the client asks', async () => {
    const id = await sendAs(stage.platform, stage.shop, stage.ada.number, { image: picture.toString('base64') });
    const { content } = await stage.client.message(id);
    const { mediaKey, directPath } = content.imageMessage ?? {};
    if (!mediaKey) throw new Error('no media key');
    const fresh = await stage.client.engine.requestMediaReupload(id, stage.shop.jid, mediaKey, false);
    expect(fresh).not.toBe(directPath);
    const again = { ...content.imageMessage, directPath: fresh };
    expect(Buffer.from(await download(again, 'image')).equals(picture)).toBe(true);
  });
});
