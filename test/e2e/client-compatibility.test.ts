// Details of answers that strict third-party clients depend on: types in flat answers, chat records, refusals.
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { ada, jid, ownNumber, startLinked } from '../support/group.ts';
import { startReceiver } from '../support/receiver.ts';
import { convert, ffmpegPath, tone } from '../support/sounds.ts';
import { film } from '../support/videos.ts';

const STATUS = 'status@broadcast';
const env = { FFMPEG_PATH: ffmpegPath };

/** Sends a text from a phone. Resolves with its id when the webhook has it. */
async function sendFromPhone(world: World, from: string, text: string): Promise<string> {
  const id = await world.sandbox.phones.phone(from).send(ownNumber, { text });
  await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
  return id;
}

async function sendByApi(world: World, operation: string, body: object): Promise<unknown> {
  const sent = await world.api('POST', `/message/${operation}/sales`, body);
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return sent.body;
}

/** The values of all members called `name`, at any depth. */
function valuesOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === name ? [member] : valuesOf(member, name)));
}

describe('answers to media sends', () => {
  it('answers hold mediaKeyTimestamp as a number in the flat form, and as a string in the wrapped form and in events', async () => {
    const world = await startLinked({ env });
    const image = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const media = image.toString('base64');
    const video = film(1).toString('base64');
    const audio = (await convert(tone(1), 'mp3')).toString('base64');
    const flatBodies: [string, object][] = [
      ['sendMedia', { mediatype: 'image', media }],
      ['sendMedia', { mediatype: 'image', media, viewOnce: true }],
      ['sendMedia', { mediatype: 'document', media, fileName: 'a.png' }],
      ['sendMedia', { mediatype: 'video', media: video }],
      ['sendPtv', { video }],
      ['sendWhatsAppAudio', { audio }],
      ['sendSticker', { sticker: media }],
      [
        'sendAlbum',
        {
          items: [
            { mediatype: 'image', media },
            { mediatype: 'video', media: video },
          ],
        },
      ],
      ['sendButtons', { thumbnailUrl: media, title: 'T', buttons: [{ displayText: 'Yes', id: 'y' }] }],
    ];
    for (const [operation, body] of flatBodies) {
      const answer = await sendByApi(world, operation, { number: ada, ...body });
      const times = valuesOf(answer, 'mediaKeyTimestamp');
      expect(times.length, operation).toBeGreaterThan(0);
      expect(times, operation).toEqual(times.map(() => expect.any(Number)));
      expect(valuesOf(answer, 'fileLength'), operation).toEqual(times.map(() => expect.any(String)));
    }
    const wrapped = await sendByApi(world, 'sendMedia', { number: ada, mediaMessage: { mediatype: 'image', media } });
    expect(at(wrapped, 'message.imageMessage.mediaKeyTimestamp')).toEqual(expect.any(String));
    const voice = await sendByApi(world, 'sendWhatsAppAudio', { number: ada, audioMessage: { audio } });
    expect(at(voice, 'message.audioMessage.mediaKeyTimestamp')).toEqual(expect.any(String));
    const id = textAt(wrapped, 'key.id');
    const { body: post } = await world.receiver.next(
      ({ body, raw }) => isEvent(body, 'send.message') && raw.includes(id),
    );
    expect(at(post, 'data.message.imageMessage.mediaKeyTimestamp')).toEqual(expect.any(String));
    const listed = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } }, page: 1 });
    expect(at(listed.body, 'messages.records.0.message.imageMessage.mediaKeyTimestamp')).toEqual(expect.any(String));
  });

  it('an answer to a video has gifPlayback false in every form, also for view-once, round and status videos', async () => {
    const world = await startLinked({ env });
    const video = film(1).toString('base64');
    const expectNoGif = (answer: unknown) =>
      expect(valuesOf(answer, 'gifPlayback'), JSON.stringify(answer)).toEqual([false]);
    expectNoGif(await sendByApi(world, 'sendMedia', { number: ada, mediatype: 'video', media: video }));
    expectNoGif(
      await sendByApi(world, 'sendMedia', { number: ada, mediaMessage: { mediatype: 'video', media: video } }),
    );
    expectNoGif(await sendByApi(world, 'sendMedia', { number: ada, mediatype: 'video', media: video, viewOnce: true }));
    expectNoGif(await sendByApi(world, 'sendPtv', { number: ada, video }));
    expectNoGif(await sendByApi(world, 'sendStatus', { type: 'video', content: video, statusJidList: [ada] }));
  });
});

describe('URL of the gateway in webhooks', () => {
  it('events, media links, test posts and error reports carry the URL that the server listens on', async () => {
    const reports = await startReceiver();
    onTestFinished(() => reports.stop());
    const world = await startLinked({
      env: { WEBHOOK_EVENTS_ERRORS: 'true', WEBHOOK_EVENTS_ERRORS_WEBHOOK: reports.url },
    });
    const { url } = world.api;
    const media = (
      await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
        .png()
        .toBuffer()
    ).toString('base64');
    const sent = await sendByApi(world, 'sendMedia', { number: ada, mediatype: 'image', media });
    const id = textAt(sent, 'key.id');
    const { body } = await world.receiver.next((post) => isEvent(post.body, 'send.message') && post.raw.includes(id));
    expect(at(body, 'server_url')).toBe(url);
    const link = textAt(body, 'data.message.mediaUrl');
    expect(link.startsWith(`${url}/`), link).toBe(true);
    expect((await fetch(link)).status).toBe(200);
    expect((await world.api('POST', '/webhook/test/sales')).status).toBe(200);
    const { body: ping } = await world.receiver.next(
      (post) => post.raw.includes('test_') || isEvent(post.body, 'webhook.test'),
    );
    expect(at(ping, 'server_url')).toBe(url);
    await world.api('POST', '/message/sendText/sales', { number: ada });
    const { body: report } = await reports.next((post) => isEvent(post.body, 'error'));
    expect(at(report, 'server_url')).toBe(url);
  });
});

describe('records of chats', () => {
  it('a chat record has the time of its first message as createdAt, and statuses have no chat record', async () => {
    const world = await startLinked();
    const first = await sendFromPhone(world, ada, 'one');
    await sendFromPhone(world, ada, 'two');
    await sendByApi(world, 'sendStatus', { type: 'text', content: 'Open today', statusJidList: [ada] });
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id: first } } });
    const time = at(found.body, '0.messageTimestamp');
    const createdAt = new Date(Number(time) * 1000).toISOString();
    for (const list of [
      await world.api('GET', '/chat/findChats/sales'),
      await world.api('POST', '/chat/findChats/sales', { where: {} }),
    ])
      expect(list.body).toEqual([expect.objectContaining({ remoteJid: jid(ada), createdAt })]);
    const byJid = await world.api('GET', `/chat/findChatByRemoteJid/sales?remoteJid=${ada}`);
    expect(byJid.body).toMatchObject({ createdAt });
    const status = await world.api('GET', `/chat/findChatByRemoteJid/sales?remoteJid=${STATUS}`);
    expect(status).toMatchObject({ status: 200, body: null });
    const filtered = await world.api('POST', '/chat/findChats/sales', { where: { remoteJid: STATUS } });
    expect(filtered.body).toEqual([]);
    const record = await world.api('GET', '/instance/fetchInstances?instanceName=sales');
    expect(at(record.body, '0._count.Chat')).toBe(1);
    const statuses = await world.api('POST', '/chat/findMessages/sales', { where: { key: { remoteJid: STATUS } } });
    expect(at(statuses.body, '0.message.extendedTextMessage.text')).toBe('Open today');
  });
});

describe('statuses to all contacts', () => {
  it('sendStatus names allContacts in its refusal when the only known contact is the own number', async () => {
    const world = await startLinked();
    world.sandbox.phones.phone(ownNumber).account.name = 'The shop';
    await world.sandbox.phones.phone(ownNumber).send(ownNumber, { text: 'note to self' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert'));
    for (const body of [
      { type: 'text', content: 'Hi', allContacts: true },
      { statusMessage: { type: 'text', content: 'Hi', allContacts: true } },
    ]) {
      const refused = await world.api('POST', '/message/sendStatus/sales', body);
      expect(refused, JSON.stringify(refused.body)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_REQUEST', certain: true },
      });
      expect(JSON.stringify(refused.body)).toContain('allContacts');
    }
  });
});

describe('DELETE /instance/logout', () => {
  it('DELETE /instance/logout ends a pairing with 200, and answers 400 when the instance is not connected', async () => {
    const world = await startWorld();
    const created = await world.api('POST', '/instance/create', { instanceName: 'shop', qrcode: true });
    const code = textAt(created.body, 'qrcode.code');
    const state = () => world.api('GET', '/instance/connectionState/shop');
    expect((await state()).body).toMatchObject({ instance: { state: 'connecting' } });
    expect(await world.api('DELETE', '/instance/logout/shop')).toMatchObject({
      status: 200,
      body: { status: 'SUCCESS', error: false, response: { message: 'Instance logged out' } },
    });
    expect((await state()).body).toMatchObject({ instance: { state: 'close' } });
    await expect(world.sandbox.pairing.scanQr(ownNumber, code)).rejects.toThrow();
    expect(await world.api('DELETE', '/instance/logout/shop')).toMatchObject({
      status: 400,
      body: { code: 'INSTANCE_NOT_CONNECTED', response: { message: ['The "shop" instance is not connected'] } },
    });
    const connected = await world.api('GET', '/instance/connect/shop');
    expect(textAt(connected.body, 'code')).not.toBe(code);
  });
});

describe('instance keys of fewer than 16 characters', () => {
  it('a new instance key under 16 characters requires WEAK_TOKENS; a stored one stays valid with a log warning', async () => {
    const world = await startWorld({ env: { WEAK_TOKENS: 'true' } });
    const create = (instanceName: string, token: string) =>
      world.api('POST', '/instance/create', { instanceName, token });
    expect((await create('old', 'short')).status).toBe(201);
    expect((await create('fine', 'as-long-as-it-has-to-be')).status).toBe(201);
    const warnings = () => world.log.filter(({ msg }) => msg === 'instance.weak_token.found');
    await world.restart();
    expect(warnings()).toEqual([]);
    await world.restart({ WEAK_TOKENS: 'false' });
    expect(warnings()).toMatchObject([{ level: 40, count: 1, instances: ['old'], setting: 'WEAK_TOKENS' }]);
    const state = await world.api('GET', '/instance/connectionState/old', undefined, { apikey: 'short' });
    expect(state.status).toBe(200);
    expect((await create('new', 'short-too')).status).toBe(400);
  });
});
