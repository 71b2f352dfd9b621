// Files of every kind between the interop client and the instance, compared byte for byte, and files that the server
// has lost.
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

/** Uploads a file with the interop client and resolves with the fields of the message. */
async function upload(bytes: Uint8Array, type: MediaType): Promise<FileFields> {
  const stored: UploadMediaResult = await stage.client.engine.uploadMedia(bytes, type);
  return { ...stored, mediaKeyTimestamp: Math.floor(Date.now() / 1000) } as FileFields;
}

/** Downloads a file with the interop client. */
function download({ directPath, mediaKey, fileSha256, fileEncSha256, fileLength }: FileFields, type: MediaType) {
  if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256) throw new Error('the message has no file');
  return stage.client.engine.downloadMedia(directPath, mediaKey, fileSha256, fileEncSha256, Number(fileLength), type);
}

/** Downloads the file of the message in a webhook from the gateway. */
async function fetchFile(data: unknown): Promise<Buffer> {
  const { pathname, search } = new URL(textAt(data, 'message.mediaUrl'));
  const response = await fetch(stage.api.url + pathname + search, { headers: { apikey: KEY } });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe('files from the interop client to the instance', () => {
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

  it.each(kinds)('the instance receives %s from the interop client', async (_name, type, toContent) => {
    const data = await stage.sendFromClient(toContent(await upload(file, type)));
    expect((await fetchFile(data)).equals(file)).toBe(true);
  });

  it('the instance receives an empty file and a file of 6 MB from the interop client', async () => {
    for (const bytes of [Buffer.alloc(0), randomBytes(6_000_000)]) {
      const fields = await upload(bytes, 'document');
      const data = await stage.sendFromClient({ documentMessage: { ...fields, mimetype: 'a/b', fileName: 'x.bin' } });
      expect((await fetchFile(data)).equals(bytes)).toBe(true);
    }
  });

  it('the instance receives a disappearing image and a document with a caption from the interop client', async () => {
    const imageMessage = { ...(await upload(file, 'image')), mimetype: 'image/jpeg' };
    const ephemeral = await stage.sendFromClient({ ephemeralMessage: { message: { imageMessage } } });
    expect((await fetchFile(ephemeral)).equals(file)).toBe(true);
    const documentMessage = { ...(await upload(file, 'document')), mimetype: 'a/b', caption: 'the offer' };
    const captioned = await stage.sendFromClient({ documentWithCaptionMessage: { message: { documentMessage } } });
    expect((await fetchFile(captioned)).equals(file)).toBe(true);
  });

  it('the instance receives a view-once image from the interop client', async () => {
    const imageMessage = { ...(await upload(file, 'image')), mimetype: 'image/jpeg', viewOnce: true };
    const data = await stage.sendFromClient({ viewOnceMessageV2: { message: { imageMessage } } });
    expect(JSON.stringify(data)).toContain('viewOnce');
  });
});

describe('files from the instance to the interop client', () => {
  const kinds: [string, object, () => Buffer, MediaType, (content: proto.IMessage) => FileFields | null | undefined][] =
    [
      ['an image', { mediatype: 'image' }, () => picture, 'image', (c) => c.imageMessage],
      ['a video', { mediatype: 'video' }, () => film, 'video', (c) => c.videoMessage],
      ['an audio file', { mediatype: 'audio' }, () => sound, 'audio', (c) => c.audioMessage],
      ['a document', { mediatype: 'document', fileName: 'x.bin' }, () => file, 'document', (c) => c.documentMessage],
    ];

  it.each(kinds)('the interop client receives %s from the instance', async (_name, body, bytes, type, fieldsOf) => {
    const { content } = await stage.sendFromInstance('sendMedia', { ...body, media: bytes().toString('base64') });
    expect(Buffer.from(await download(fieldsOf(content) ?? {}, type)).equals(bytes())).toBe(true);
  });

  it('the interop client receives a photo from the instance with its preview and size', async () => {
    const body = { mediatype: 'image', media: picture.toString('base64'), caption: 'sunset' };
    const { imageMessage } = (await stage.sendFromInstance('sendMedia', body)).content;
    expect(imageMessage).toMatchObject({ caption: 'sunset', width: 640, height: 480 });
    expect((await sharp(imageMessage?.jpegThumbnail ?? undefined).metadata()).format).toBe('jpeg');
    expect(Buffer.from(await download(imageMessage ?? {}, 'image')).equals(picture)).toBe(true);
  });

  it('the interop client receives a voice note from the instance', async () => {
    const { content } = await stage.sendFromInstance('sendWhatsAppAudio', { audio: tone(1).toString('base64') });
    expect(content.audioMessage).toMatchObject({ ptt: true, seconds: 1 });
    const bytes = Buffer.from(await download(content.audioMessage ?? {}, 'audio'));
    expect(bytes.subarray(0, 4).toString()).toBe('OggS');
  });

  it('the interop client receives a sticker and a video note from the instance', async () => {
    const sticker = await stage.sendFromInstance('sendSticker', { sticker: picture.toString('base64') });
    const webp = Buffer.from(await download(sticker.content.stickerMessage ?? {}, 'sticker'));
    expect(await sharp(webp).metadata()).toMatchObject({ format: 'webp', width: 512 });
    const note = await stage.sendFromInstance('sendPtv', { video: film.toString('base64') });
    const bytes = Buffer.from(await download(note.content.ptvMessage ?? {}, 'video'));
    expect(bytes.equals(film)).toBe(true);
  });

  it('the interop client receives an album from the instance with the number of its images', async () => {
    const parts = [picture, picture].map((image) => ({ mediatype: 'image', media: image.toString('base64') }));
    const { content } = await stage.sendFromInstance('sendAlbum', { medias: parts });
    expect(content.albumMessage).toMatchObject({ expectedImageCount: 2 });
  });

  it('the phone of the recipient shows a view-once image of the instance', async () => {
    const sent = await stage.call('POST', '/message/sendMedia/shop', {
      ...{ number: stage.ada.number, mediatype: 'image', media: picture.toString('base64'), viewOnce: true },
    });
    const id = textAt(sent, 'key.id');
    await stage.waitForStatus(id, 'DELIVERY_ACK');
    const phoneMessages = await control(stage.platform, 'GET', `/phones/${stage.ada.number}/messages`);
    expect([phoneMessages].flat().find((message) => at(message, 'id') === id)).toMatchObject({ viewOnce: true });
  });
});

describe('files that the server has lost', () => {
  it('the phone of the instance uploads a lost file again when the instance fetches it', async () => {
    const imageMessage = { ...(await upload(picture, 'image')), mimetype: 'image/jpeg' };
    const data = await stage.sendFromClient({ imageMessage });
    await control(stage.platform, 'POST', '/faults', { kind: 'download', code: 404 });
    expect((await fetchFile(data)).equals(picture)).toBe(true);
  });

  it('the phone of the sender uploads a file again when the interop client requests it', async () => {
    const id = await sendAs(stage.platform, stage.shop, stage.ada.number, { image: picture.toString('base64') });
    const { content } = await stage.client.message(id);
    const { mediaKey, directPath } = content.imageMessage ?? {};
    if (!mediaKey) throw new Error('no media key');
    const newDirectPath = await stage.client.engine.requestMediaReupload(id, stage.shop.jid, mediaKey, false);
    expect(newDirectPath).not.toBe(directPath);
    const renewed = { ...content.imageMessage, directPath: newDirectPath };
    expect(Buffer.from(await download(renewed, 'image')).equals(picture)).toBe(true);
  });
});
