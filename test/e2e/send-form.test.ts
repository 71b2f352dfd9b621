// Multipart forms with a file, as browsers and HTTP libraries send them.
import { readdirSync } from 'node:fs';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { ownTemporaryFolder } from '../support/folder.ts';
import type { World } from '../support/gateway.ts';
import { ada, createAdasGroup, createOwnGroup, startLinked } from '../support/group.ts';
import { ffmpegPath, tone } from '../support/sounds.ts';

async function post({ api }: World, path: string, fields: Record<string, string | Buffer>, method = 'POST') {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value);
    else form.set(name, new Blob([new Uint8Array(value)]), `${name}.bin`);
  }
  const response = await fetch(api.url + path, { method, body: form, headers: { apikey: api.key } });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

/** Waits for the message of this answer on the phone of Ada. */
async function waitForMedia(world: World, answer: unknown) {
  const phone = world.sandbox.phones.phone(ada);
  const message = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(answer, 'key.id')));
  expect(message.media?.problem).toBeUndefined();
  return { message, file: phone.downloadMedia(message.id).bytes };
}

const createPng = () =>
  sharp({ create: { width: 60, height: 30, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();

it('a form sends a voice note, a sticker and a group picture, and leaves no file behind', async () => {
  const world = await startLinked({ env: { FFMPEG_PATH: ffmpegPath } });
  const group = await createOwnGroup(world);
  const folder = ownTemporaryFolder();
  const quoted = '{"key":{"id":"ABC"},"message":{"conversation":"say it"}}';
  for (const [path, status] of [
    ['/message/sendPlatformAudio/sales', 200],
    ['/message/sendWhatsAppAudio/sales', 201],
  ] as const) {
    const voice = await post(world, path, { number: ada, delay: '10', quoted, file: tone(1) });
    expect(voice, JSON.stringify(voice.body)).toMatchObject({ status, body: { messageType: 'audioMessage' } });
    const { message } = await waitForMedia(world, voice.body);
    expect(message.media).toMatchObject({ mediatype: 'ptt', mimetype: 'audio/ogg; codecs=opus', seconds: 1 });
    expect(at(message.message, 'audioMessage.contextInfo')).toMatchObject({ stanzaId: 'ABC' });
  }
  const plain = tone(1, 8000);
  const unconverted = await post(world, '/message/sendWhatsAppAudio/sales', {
    number: ada,
    encoding: 'false',
    file: plain,
  });
  expect((await waitForMedia(world, unconverted.body)).file.equals(plain)).toBe(true);
  const sticker = await post(world, '/message/sendSticker/sales', { number: ada, sticker: await createPng() });
  expect(sticker.status).toBe(201);
  expect(await sharp((await waitForMedia(world, sticker.body)).file).metadata()).toMatchObject({
    format: 'webp',
    width: 512,
  });
  const path = `/group/updateGroupPicture/sales?groupJid=${group.id}`;
  expect(await post(world, path, { file: await createPng() }, 'PUT')).toMatchObject({ status: 201 });
  expect(await sharp(group.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 30, height: 30 });
  const inBody = {
    groupJid: group.id,
    image: await sharp(await createPng())
      .resize(10, 10)
      .png()
      .toBuffer(),
  };
  expect(await post(world, '/group/updateGroupPicture/sales', inBody)).toMatchObject({ status: 201 });
  expect(await sharp(group.picture?.bytes).metadata()).toMatchObject({ width: 10 });
  expect(readdirSync(folder)).toEqual([]);
});

it('a form is rejected like a JSON body, sends nothing, and leaves no file behind', async () => {
  const world = await startLinked({ env: { FFMPEG_PATH: 'none', MEDIA_LIMIT: '50000' } });
  const folder = ownTemporaryFolder();
  const foreignGroup = createAdasGroup(world, []);
  const cases: [string, Record<string, string | Buffer>, number, string][] = [
    ['/message/sendWhatsAppAudio/sales', { number: ada, file: Buffer.alloc(50_001) }, 413, 'BODY_TOO_LARGE'],
    ['/message/sendWhatsAppAudio/sales', { number: ada, file: Buffer.from('hello') }, 400, 'MEDIA_INVALID'],
    ['/message/sendWhatsAppAudio/sales', { number: ada, delay: 'soon', file: tone(1, 8000) }, 400, 'INVALID_REQUEST'],
    ['/message/sendWhatsAppAudio/sales', { file: tone(1, 8000) }, 400, 'INVALID_REQUEST'],
    ['/message/sendWhatsAppAudio/nobody', { number: ada, file: tone(1, 8000) }, 404, 'INSTANCE_NOT_FOUND'],
    ['/message/sendSticker/sales', { number: '15550000000', file: await createPng() }, 400, 'NUMBER_NOT_ON_PLATFORM'],
    ['/message/sendSticker/sales', { number: ada, file: Buffer.from('hello') }, 400, 'MEDIA_INVALID'],
    [
      '/message/sendStatus/sales',
      { type: 'text', statusJidList: ada, file: await createPng() },
      400,
      'INVALID_REQUEST',
    ],
    ['/message/sendText/sales', { number: ada, text: 'hello', file: Buffer.from('hello') }, 400, 'INVALID_REQUEST'],
    [
      `/group/updateGroupPicture/sales?groupJid=${foreignGroup.id}`,
      { file: await createPng() },
      403,
      'GROUP_FORBIDDEN',
    ],
  ];
  for (const [path, fields, status, code] of cases)
    expect(await post(world, path, fields), path).toMatchObject({ status, body: { code } });
  expect(readdirSync(folder)).toEqual([]);
  expect(world.sandbox.phones.phone(ada).messages()).toEqual([]);
});
