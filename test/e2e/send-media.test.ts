// Pictures, videos, audio, documents and video notes, from every form of a body.
import { readdirSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { ownTemporaryFolder } from '../support/folder.ts';
import type { World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, jid, startLinked } from '../support/group.ts';
import { serve } from '../support/site.ts';
import { convert, ffmpegPath, tone } from '../support/sounds.ts';
import { film } from '../support/videos.ts';

const path = '/message/sendMedia/sales';
const env = { FFMPEG_PATH: ffmpegPath, EGRESS_ALLOW: '127.0.0.0/8' };
const createPng = () =>
  sharp({ create: { width: 60, height: 30, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();

/** Waits for the message of this answer on a phone. Resolves with the message and its file. */
async function waitForMedia(world: World, answer: { status: number; body: unknown }, number = ada) {
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const phone = world.sandbox.phones.phone(number);
  const message = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(answer.body, 'key.id')));
  expect(message.media?.problem).toBeUndefined();
  return { message, file: phone.downloadMedia(message.id).bytes };
}

async function post({ api }: World, to: string, fields: Record<string, string | Blob>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value);
    else form.set(name, value, 'the offer.pdf');
  }
  const response = await fetch(api.url + to, { method: 'POST', body: form, headers: { apikey: api.key } });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

describe('POST /message/sendMedia', () => {
  it('sendMedia sends a picture from base64 and data URL, wrapped and flat, with caption, quote and thumbnail', async () => {
    const world = await startLinked({ env });
    const folder = ownTemporaryFolder();
    const image = await createPng();
    const quoted = { key: { id: 'ABC' }, message: { conversation: 'which one?' } };
    const wrapped = await world.api('POST', path, {
      number: ada,
      options: { quoted, delay: 1 },
      mediaMessage: { mediaType: 'image', media: image.toString('base64'), caption: 'This one' },
    });
    expect(wrapped.body).toMatchObject({ status: 'PENDING', messageTimestamp: expect.any(String) });
    expect(at(wrapped.body, 'message.imageMessage')).toMatchObject({
      caption: 'This one',
      mimetype: 'image/png',
      width: 60,
      height: 30,
      fileLength: String(image.length),
      jpegThumbnail: expect.any(String),
      mediaKey: expect.any(String),
    });
    const { message, file } = await waitForMedia(world, wrapped);
    expect(file.equals(image)).toBe(true);
    expect(message).toMatchObject({ kind: 'image', text: 'This one', quoted: 'ABC', addressing: 'lid' });
    expect(message.media?.mediatype).toBe('image');

    const webp = await sharp(image).webp().toBuffer();
    const media = `data:image/webp;base64,${webp.toString('base64')}`;
    const flat = await world.api('POST', path, { number: ada, mediatype: 'image', media, mimetype: 'image/webp' });
    expect(flat.body).toMatchObject({ messageType: 'imageMessage', messageTimestamp: expect.any(Number) });
    const converted = await waitForMedia(world, flat);
    expect(converted.message.media).toMatchObject({ mimetype: 'image/jpeg' });
    expect(await sharp(converted.file).metadata()).toMatchObject({ format: 'jpeg', width: 60 });

    const { body: post } = await world.receiver.next(
      ({ raw }) => raw.includes('send.message') && raw.includes('This one'),
    );
    expect(at(post, 'data.message.mediaUrl')).toEqual(expect.any(String));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('sendMedia sends videos and documents behind URLs, and audio, to contacts and groups', async () => {
    const world = await startLinked({ env });
    const video = film(2);
    const site = await serve((request, response) => {
      // Many sites refuse requests without these headers.
      if (!request.headers['user-agent'] || !request.headers.accept) return void response.writeHead(403).end();
      const name = new URL(request.url ?? '', 'http://a').searchParams.get('name');
      response.end(name === 'video' ? video : Buffer.from('%PDF-1.4'));
    });
    const sent = await world.api('POST', path, {
      number: ada,
      mediaMessage: { mediatype: 'video', media: `${site}?name=video`, caption: 'Look' },
    });
    expect(at(sent.body, 'message.videoMessage')).toMatchObject({
      mimetype: 'video/mp4',
      seconds: 2,
      width: 64,
      height: 48,
      jpegThumbnail: expect.stringMatching(/^\/9j\//),
    });
    const first = await waitForMedia(world, sent);
    expect(first.message).toMatchObject({ text: 'Look', media: { mediatype: 'video', seconds: 2 } });
    expect(first.file.equals(video)).toBe(true);

    const group = createAdasGroup(world);
    const document = { number: group.id, mediatype: 'document', media: `${site}?name=offer`, mentioned: [bob] };
    const unnamed = await waitForMedia(world, await world.api('POST', path, { ...document, caption: 'See @bob' }));
    expect(unnamed.message).toMatchObject({ chat: group.id, text: 'See @bob', media: { fileName: 'file' } });
    expect(unnamed.message.mentions).toEqual([jid(bob)]);
    const named = await waitForMedia(world, await world.api('POST', path, { ...document, fileName: 'offer.pdf' }));
    expect(named.message.media).toMatchObject({ fileName: 'offer.pdf', mimetype: 'application/pdf' });
    const typed = { ...document, fileName: 'offer.pdf', mimetype: 'text/plain' };
    expect((await waitForMedia(world, await world.api('POST', path, typed))).message.media?.mimetype).toBe(
      'text/plain',
    );

    const mp3 = convert(tone(1), 'mp3');
    const sound = { number: ada, mediatype: 'audio', media: mp3.toString('base64') };
    const music = await waitForMedia(world, await world.api('POST', path, sound));
    expect(music.message.media).toMatchObject({ mediatype: 'audio', mimetype: 'audio/mpeg', seconds: 1 });
    expect(at(music.message.message, 'audioMessage')).not.toHaveProperty('waveform');
    expect(music.file.equals(mp3)).toBe(true);
  });

  it('sendMedia sends the file of a form under its name, sendPtv sends video notes, and no file is left behind', async () => {
    const world = await startLinked({ env: { ...env, FFMPEG_PATH: 'none' } });
    const folder = ownTemporaryFolder();
    const pdf = new Blob(['%PDF-1.4']);
    const fields = { number: ada, mediatype: 'document', caption: 'As discussed' };
    const offer = await waitForMedia(world, await post(world, path, { ...fields, file: pdf }));
    expect(offer.message).toMatchObject({
      text: 'As discussed',
      media: { fileName: 'the offer.pdf', mimetype: 'application/pdf', size: 8 },
    });
    const renamed = await waitForMedia(world, await post(world, path, { ...fields, file: pdf, fileName: 'other.txt' }));
    expect(renamed.message.media).toMatchObject({ fileName: 'other.txt', mimetype: 'text/plain' });

    const video = film(2, { height: 64 });
    const notePath = '/message/sendPtv/sales';
    const quoted = { key: { id: 'ABC' }, message: { conversation: 'show me' } };
    const bodies = [
      await post(world, notePath, { number: ada, delay: '1', file: new Blob([new Uint8Array(video)]) }),
      await world.api('POST', notePath, { number: ada, video: video.toString('base64'), quoted }),
      await world.api('POST', notePath, { number: ada, ptvMessage: { video: video.toString('base64') } }),
    ];
    for (const sent of bodies) {
      const { message, file } = await waitForMedia(world, sent);
      expect(message).toMatchObject({ kind: 'ptv', media: { mediatype: 'ptv', seconds: 2, width: 64, height: 64 } });
      expect(file.equals(video)).toBe(true);
      expect(at(sent.body, 'message.ptvMessage')).not.toHaveProperty('jpegThumbnail');
    }
    expect(bodies[0]?.body).toMatchObject({ messageType: 'ptvMessage' });
    const phone = world.sandbox.phones.phone(ada);
    expect(phone.messages().map(({ quoted: id }) => id)).toContain('ABC');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('sendMedia names the reason of a refusal and sends nothing', async () => {
    const world = await startLinked({ env: { ...env, MEDIA_LIMIT: '40000' } });
    const text = Buffer.from('hello').toString('base64');
    const image = (await createPng()).toString('base64');
    const avif = await sharp(await createPng())
      .avif()
      .toBuffer();
    const missing = await serve((_, response) => void response.writeHead(404).end('no'));
    const cases: [Record<string, unknown>, string, RegExp][] = [
      [{ mediatype: 'image', media: text }, 'MEDIA_INVALID', /image/],
      [{ mediatype: 'video', media: image }, 'MEDIA_INVALID', /MP4/],
      [{ mediatype: 'audio', media: image }, 'MEDIA_INVALID', /sound/],
      [{ mediatype: 'audio', media: avif.toString('base64') }, 'MEDIA_INVALID', /sound/],
      [{ mediatype: 'audio', media: film(1).toString('base64') }, 'MEDIA_INVALID', /sound/],
      [{ mediatype: 'document', media: text }, 'INVALID_REQUEST', /For base64 the file name must be informed/],
      [{ mediatype: 'document', media: 'no such thing?', fileName: 'a' }, 'MEDIA_INVALID', /url or base64/],
      [{ mediatype: 'image', media: missing }, 'MEDIA_UNREACHABLE', /404/],
      [{ mediatype: 'image', media: 'A'.repeat(60_000) }, 'MEDIA_TOO_LARGE', /40000/],
      [{ mediatype: 'image', media: 'http://169.254.169.254/a.png' }, 'ADDRESS_FORBIDDEN', /./],
      [
        { mediatype: 'gif', media: image },
        'INVALID_REQUEST',
        /mediatype is not one of enum values: image,document,video,audio/,
      ],
      [{ mediatype: 'image' }, 'INVALID_REQUEST', /requires property .{1,2}media/],
      [{ mediatype: 'document', media: text, fileName: 'a', mimetype: 'a\r\nb: c' }, 'INVALID_REQUEST', /mimetype/],
      [{ mediatype: 'image', media: image, number: '15550000000' }, 'NUMBER_NOT_ON_PLATFORM', /15550000000/],
    ];
    for (const [body, code, message] of cases) {
      const refused = await world.api('POST', path, { number: ada, ...body });
      expect(refused.body, JSON.stringify(body).slice(0, 100)).toMatchObject({ code });
      expect(refused.status).toBe(400);
      expect(JSON.stringify(refused.body)).toMatch(message);
    }
    world.expectErrors(/^request.failed$/, /upload/);
    world.sandbox.faults.add({ kind: 'upload', code: 500, times: 2 });
    const body = { number: ada, mediatype: 'image', media: image };
    expect(await world.api('POST', path, body)).toMatchObject({
      status: 502,
      body: { code: 'MEDIA_UPLOAD_FAILED', certain: true },
    });
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    for (const [to, fields] of [
      ['/message/sendMedia/closed', body],
      ['/message/sendPtv/closed', { number: ada, video: text }],
    ] as const)
      expect(await world.api('POST', to, fields)).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_OPEN' } });
    expect(world.sandbox.phones.phone(ada).messages()).toEqual([]);
  });
});
