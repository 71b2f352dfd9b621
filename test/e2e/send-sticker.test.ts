import { readdirSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { ownTemporaryFolder } from '../support/folder.ts';
import { startWorld, type World } from '../support/gateway.ts';
import { serve } from '../support/site.ts';

const mine = '15550009011';
const contact = '15550009012';
const path = '/message/sendSticker/sales';
const red = { r: 255, g: 0, b: 0 };
const createPng = (width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: red } })
    .png()
    .toBuffer();

async function startLinked(env: Record<string, string> = {}): Promise<World> {
  const world = await startWorld({ env: { EGRESS_ALLOW: '127.0.0.0/8', ...env } });
  await world.link('sales', mine);
  return world;
}

const sendImage = (world: World, image: unknown) =>
  world.api('POST', path, { number: contact, stickerMessage: { image } });

/** Waits for the message of this answer on the phone of the contact. Resolves with the message and its file. */
async function waitForSticker(world: World, answer: unknown) {
  const phone = world.sandbox.phones.phone(contact);
  const message = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(answer, 'key.id')));
  expect(message.media?.problem).toBeUndefined();
  return { message, file: phone.downloadMedia(message.id).bytes };
}

describe('POST /message/sendSticker', () => {
  it('sendSticker converts a picture to a 512 × 512 WebP with transparent bars, which the phone decrypts', async () => {
    const world = await startLinked();
    const folder = ownTemporaryFolder();
    const sent = await sendImage(world, (await createPng()).toString('base64'));
    expect(sent).toMatchObject({ status: 201, body: { status: 'PENDING' } });
    expect(sent.body).toHaveProperty('message.stickerMessage.mimetype', 'image/webp');
    for (const field of [
      'fileSha256',
      'fileEncSha256',
      'mediaKey',
      'fileLength',
      'mediaKeyTimestamp',
      'directPath',
      'url',
    ])
      expect(at(sent.body, `message.stickerMessage.${field}`), field).toEqual(expect.any(String));
    const { message, file } = await waitForSticker(world, sent.body);
    expect(message).toMatchObject({
      kind: 'sticker',
      from: mine,
      media: { mediatype: 'sticker', width: 512, height: 512 },
    });
    expect(await sharp(file).metadata()).toMatchObject({ format: 'webp', width: 512, height: 512 });
    const pixels = await sharp(file).ensureAlpha().raw().toBuffer();
    expect(pixels[3], 'a corner is transparent').toBe(0);
    expect(pixels[(256 * 512 + 256) * 4], 'the middle is red').toBeGreaterThan(240);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    'gif',
    'webp',
  ] as const)('sendSticker keeps the animation of a %s behind a URL, from a flat body', async (format) => {
    const world = await startLinked();
    const frames = await sharp([await createPng(64, 64), await createPng(32, 32)], { join: { animated: true } })
      .toFormat(format)
      .toBuffer();
    const url = await serve((_, response) => void response.end(frames));
    const sent = await world.api('POST', path, { number: contact, sticker: url });
    expect(sent).toMatchObject({
      status: 201,
      body: { messageType: 'stickerMessage', messageTimestamp: expect.any(Number) },
    });
    expect(sent.body).toHaveProperty('message.stickerMessage.isAnimated', true);
    const { file } = await waitForSticker(world, sent.body);
    expect((await sharp(file, { animated: true }).metadata()).pages).toBe(2);
  });

  it('sendSticker accepts a data URL and a quote', async () => {
    const world = await startLinked();
    const image = `data:image/png;base64,${(await createPng()).toString('base64')}`;
    const quoted = { key: { id: 'ABC' }, message: { conversation: 'which one?' } };
    const sent = await world.api('POST', path, { number: contact, stickerMessage: { image }, options: { quoted } });
    expect(sent.status).toBe(201);
    const { message } = await waitForSticker(world, sent.body);
    expect(message.message).toHaveProperty('stickerMessage.contextInfo.stanzaId', 'ABC');
  });

  it('sendSticker answers specific errors for unreachable, oversized, invalid, empty and forbidden images', async () => {
    const world = await startLinked({ MEDIA_LIMIT: '4096' });
    const missing = await serve((_, response) => void response.writeHead(404).end('no'));
    const large = await serve((_, response) => void response.end(Buffer.alloc(5000)));
    const empty = await serve((_, response) => void response.end());
    const page = await serve((_, response) => void response.end('<html>hello</html>'));
    const dead = await serve((_, response) => void response.destroy());
    const vector = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64');
    const cases: [unknown, string][] = [
      [missing, 'MEDIA_UNREACHABLE'],
      [dead, 'MEDIA_UNREACHABLE'],
      [large, 'MEDIA_TOO_LARGE'],
      [Buffer.alloc(5000).toString('base64'), 'MEDIA_TOO_LARGE'],
      [empty, 'MEDIA_INVALID'],
      ['data:image/png;base64,', 'MEDIA_INVALID'],
      [page, 'MEDIA_INVALID'],
      [vector, 'MEDIA_INVALID'],
      ['/etc/passwd?', 'MEDIA_INVALID'],
      ['file:///etc/passwd', 'ADDRESS_FORBIDDEN'],
      ['http://169.254.169.254/latest', 'ADDRESS_FORBIDDEN'],
      [{ url: '/etc/passwd' }, 'INVALID_REQUEST'],
    ];
    for (const [image, code] of cases) {
      const refused = await sendImage(world, image);
      expect(refused, String(image)).toMatchObject({ status: 400, body: { code } });
      if (code !== 'INVALID_REQUEST') expect(refused.body).toHaveProperty('certain', true);
    }
    expect(world.sandbox.phones.phone(contact).messages()).toEqual([]);
  });

  it('sendSticker answers 502 with certain true after a failed upload, and the next send succeeds', async () => {
    const world = await startLinked();
    world.expectErrors(/^request.failed$/, /upload/);
    world.sandbox.faults.add({ kind: 'upload', code: 500, times: 2 });
    const image = (await createPng()).toString('base64');
    const failed = await sendImage(world, image);
    expect(failed).toMatchObject({ status: 502, body: { code: 'MEDIA_UPLOAD_FAILED', certain: true } });
    expect((await sendImage(world, image)).status).toBe(201);
  });

  it('sendSticker rejects a number that is not on the platform, and a closed instance', async () => {
    const world = await startLinked();
    const image = (await createPng()).toString('base64');
    const unknownNumber = await world.api('POST', path, { number: '15550000000', stickerMessage: { image } });
    expect(unknownNumber).toMatchObject({ status: 400, body: { code: 'NUMBER_NOT_ON_PLATFORM' } });
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const closed = await world.api('POST', '/message/sendSticker/closed', {
      number: contact,
      stickerMessage: { image },
    });
    expect(closed).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_OPEN', certain: true } });
  });
});
