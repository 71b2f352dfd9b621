import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { proto } from '@whiskeysockets/baileys';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { MediaDraft } from '../../packages/sandbox/src/media/attachments.ts';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const mine = '15550009211';
const contact = '15550009212';
const file = randomBytes(300_001);
const sha256Hex = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function startLinked(env: Record<string, string> = {}): Promise<World> {
  const world = await startWorld({ env });
  await world.link('shop', mine);
  return world;
}

/** Sends a file from the phone of the contact. Returns its id and the path of the link in the event. */
async function receive(world: World, media: Partial<MediaDraft> = {}): Promise<{ id: string; link: string }> {
  const phone = world.sandbox.phones.phone(contact);
  const id = await phone.send(mine, { media: { kind: 'image', bytes: file, ...media } });
  const post = await world.receiver.next(
    ({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === id,
  );
  const { pathname, search } = new URL(textAt(post.body, 'data.message.mediaUrl'));
  return { id, link: pathname + search };
}

/** Like `receive`, with a message that `change` forges before its phone sends it. */
function receiveForged(world: World, change: (content: proto.IMessage) => proto.IMessage) {
  const phone = world.sandbox.phones.phone(contact);
  const compose = phone.compose.bind(phone);
  vi.spyOn(phone, 'compose').mockImplementationOnce((...draft) => change(compose(...draft)));
  return receive(world);
}

const withImage = (change: proto.Message.IImageMessage) => (content: proto.IMessage) => ({
  imageMessage: { ...content.imageMessage, ...change },
});

interface MediaAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  body: unknown;
}

/** Sends a request, with the global key unless `init` is given. */
async function get(
  world: World,
  path: string,
  init: RequestInit = { headers: { apikey: world.api.key } },
): Promise<MediaAnswer> {
  const response = await fetch(world.api.url + path, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && bytes.length > 0;
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson ? JSON.parse(bytes.toString()) : '',
  };
}

describe('GET /media', () => {
  it('GET /media returns files of every kind that a phone has sent, by key and by signed link', async () => {
    const world = await startLinked();
    const kinds: [Partial<MediaDraft>, string, RegExp][] = [
      [{ kind: 'image' }, 'image/jpeg', /^inline; filename="\w+\.jpg"/],
      [{ kind: 'video', seconds: 3 }, 'video/mp4', /^inline; filename="\w+\.mp4"/],
      [{ kind: 'audio', ptt: true, seconds: 2 }, 'audio/ogg; codecs=opus', /^inline; filename="\w+\.ogg"/],
      [{ kind: 'sticker' }, 'image/webp', /^inline; filename="\w+\.webp"/],
      [
        { kind: 'document', mimetype: 'application/pdf', fileName: 'Preço.pdf' },
        'application/pdf',
        /^attachment; filename="Pre_o\.pdf"; filename\*=UTF-8''Pre%C3%A7o\.pdf$/,
      ],
    ];
    for (const [draft, type, disposition] of kinds) {
      const { id, link } = await receive(world, draft);
      for (const answer of [await get(world, `/media/shop/${id}`), await get(world, link, {})]) {
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        expect(sha256Hex(answer.bytes)).toBe(sha256Hex(file));
        expect(answer.headers.get('content-type')).toBe(type);
        expect(answer.headers.get('content-disposition')).toMatch(disposition);
        expect(answer.headers.get('content-length')).toBe(String(file.length));
      }
    }
  });
  it('HEAD /media answers the headers of the file without a download, and they keep browsers from running the file', async () => {
    const world = await startLinked();
    const { id } = await receive(world, { kind: 'document', mimetype: 'text/html', fileName: '../a"b.html' });
    world.sandbox.faults.add({ kind: 'download', code: 500, times: 0 });
    const head = await get(world, `/media/shop/${id}`, { method: 'HEAD', headers: { apikey: world.api.key } });
    world.sandbox.faults.clear();
    const whole = await get(world, `/media/shop/${id}`);
    for (const { status, headers } of [head, whole]) {
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('content-disposition')).toBe(`attachment; filename="a_b.html"; filename*=UTF-8''a_b.html`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/sandbox/);
      expect(headers.get('accept-ranges')).toBe('none');
    }
    expect(head.headers.get('content-length')).toBeNull();
    expect(sha256Hex(whole.bytes)).toBe(sha256Hex(file));
    const range = { apikey: world.api.key, range: 'bytes=0-9' };
    expect((await get(world, `/media/shop/${id}`, { headers: range })).bytes).toHaveLength(file.length);
  });

  it('GET /media requires the key of the instance or the signed link of the message', async () => {
    const world = await startLinked({ MEDIA_LINK_DAYS: '1' });
    const { id, link } = await receive(world);
    await world.api('POST', '/instance/create', { instanceName: 'other', token: 'key-of-the-other-instance' });
    const signed = new URL(link, 'http://x').search;
    const cases: [string, Record<string, string>, number, string][] = [
      [`/media/shop/${id}`, {}, 401, 'UNAUTHORIZED'],
      [`/media/shop/${id}`, { apikey: 'key-of-the-other-instance' }, 401, 'UNAUTHORIZED'],
      [`${link}A`, {}, 403, 'LINK_INVALID'],
      [link.replace('expires=', 'expires=9'), {}, 403, 'LINK_INVALID'],
      [`/media/shop/${id}0${signed}`, {}, 403, 'LINK_INVALID'],
      [`/media/other/${id}${signed}`, {}, 403, 'LINK_INVALID'],
      [`/media/nobody/${id}${signed}`, {}, 403, 'LINK_INVALID'],
      [`/message/sendText/shop${signed}`, {}, 404, 'ROUTE_NOT_FOUND'],
      [`/instance/connectionState/shop${signed}`, {}, 401, 'UNAUTHORIZED'],
    ];
    for (const [path, headers, status, code] of cases)
      expect(await get(world, path, { headers }), path).toMatchObject({ status, body: { code } });
    expect((await get(world, link, { headers: { apikey: 'key-of-the-other-instance' } })).status).toBe(200);
    expect((await get(world, link, {})).status).toBe(200);
    await world.restart();
    expect((await get(world, link, {})).status, 'after a restart').toBe(200);
    expect(JSON.stringify(world.log)).not.toContain(new URLSearchParams(signed).get('signature'));
  });
});

describe('GET /media for forged messages', () => {
  it('GET /media requests no URL that a sender has written, and still finds the file', async () => {
    const world = await startLinked();
    let visits = 0;
    const trap = createServer((_, response) => void response.end(String(++visits))).listen(0, '127.0.0.1');
    onTestFinished(() => void trap.close());
    await once(trap, 'listening');
    const local = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/x`;
    for (const url of [local, 'https://evil.example/x', 'file:///etc/passwd', '']) {
      const { link } = await receiveForged(world, withImage({ url }));
      expect(sha256Hex((await get(world, link, {})).bytes), url).toBe(sha256Hex(file));
    }
    expect(visits).toBe(0);
  });

  it('GET /media finds a file inside wrapped messages', async () => {
    const world = await startLinked();
    const { link } = await receiveForged(world, (content) => ({
      ephemeralMessage: { message: { viewOnceMessageV2: { message: content } } },
    }));
    expect(await get(world, link, {})).toMatchObject({ status: 200, bytes: file });
  });

  it('GET /media answers 502 for a file that does not match the key and the hashes of its message', async () => {
    const world = await startLinked();
    world.expectErrors(/^request.failed$/);
    for (const wrong of ['mediaKey', 'fileSha256', 'fileEncSha256'] as const) {
      const { id } = await receiveForged(world, withImage({ [wrong]: randomBytes(32) }));
      const refused = await get(world, `/media/shop/${id}`);
      expect(refused, wrong).toMatchObject({ status: 502, body: { code: 'MEDIA_CORRUPT' } });
      expect(refused.headers.get('content-disposition')).toBeNull();
    }
  });

  it('GET /media returns the file of the chat in the link when another chat uses the same message id', async () => {
    const world = await startLinked();
    const other = world.sandbox.phones.phone('15550009213');
    const { id, link } = await receive(world);
    await other.send(mine, { media: { kind: 'image', bytes: Buffer.from('another') } }, { id });
    await world.receiver.next(
      ({ body }) => isEvent(body, 'messages.upsert') && textAt(body, 'data.key.remoteJid').startsWith('15550009213'),
    );
    expect((await get(world, link, {})).bytes).toEqual(file);
    expect((await get(world, `/media/shop/${id}`)).bytes.toString()).toBe('another');
    expect((await get(world, `/media/shop/${id}?remoteJid=${contact}@s.whatsapp.net`)).bytes).toEqual(file);
  });

  it('GET /media answers specific errors for unknown messages, missing and large files, and failures of the host', async () => {
    const world = await startLinked({ DOWNLOAD_LIMIT: '300000' });
    world.expectErrors(/^request.failed$/);
    const phone = world.sandbox.phones.phone(contact);
    const text = await phone.send(mine, { text: 'hello' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert'));
    const large = await receive(world);
    const small = await receive(world, { bytes: Buffer.from('small') });
    world.sandbox.faults.add({ kind: 'download', code: 500 });
    const cases: [string, number, string][] = [
      [`/media/shop/${small.id}`, 502, 'MEDIA_HOST_FAILED'],
      ['/media/shop/UNKNOWN', 404, 'MESSAGE_NOT_FOUND'],
      [`/media/shop/${text}`, 404, 'MESSAGE_WITHOUT_MEDIA'],
      [`/media/shop/${large.id}`, 413, 'MEDIA_OVER_LIMIT'],
      [`/media/shop/${small.id}?remoteJid=1@s.whatsapp.net`, 404, 'MESSAGE_NOT_FOUND'],
      [`/media/shop/${'x'.repeat(301)}`, 400, 'INVALID_REQUEST'],
    ];
    for (const [path, status, code] of cases)
      expect(await get(world, path), path).toMatchObject({ status, body: { status, code } });
    expect((await get(world, small.link, {})).bytes.toString()).toBe('small');
  });
});

describe('GET /media for files that the platform no longer has', () => {
  it('GET /media requests an expired file from the phone once, and keeps its new location', async () => {
    const world = await startLinked();
    const { id, link } = await receive(world);
    const fetchDirectPath = async () => {
      const { body } = await world.api('POST', '/chat/findMessages/shop', { where: { key: { id } } });
      return textAt(body, '0.message.imageMessage.directPath');
    };
    const { body } = await world.api('POST', '/chat/findMessages/shop', { where: { key: { id } } });
    const mediaUrl = textAt(body, '0.message.mediaUrl');
    expect(mediaUrl.startsWith(`${world.api.url}/media/shop/`), mediaUrl).toBe(true);
    expect(await get(world, mediaUrl.slice(world.api.url.length), {})).toMatchObject({ status: 200, bytes: file });
    const before = await fetchDirectPath();
    world.sandbox.faults.add({ kind: 'download', code: 410 });
    expect(await get(world, link, {})).toMatchObject({ status: 200, bytes: file });
    expect(await fetchDirectPath()).not.toBe(before);
    expect(await get(world, link, {})).toMatchObject({ status: 200, bytes: file });
  });

  it('GET /media requests expired files of groups and of chats addressed by LID from the phone', async () => {
    const world = await startLinked();
    const { world: platform, groups, phones } = world.sandbox;
    const [group] = groups.create(platform.account(contact), 'Ours', [pnJid(platform.account(mine))]);
    const draft = { media: { kind: 'image', bytes: file } } as const;
    const phone = phones.phone(contact);
    for (const id of [await phone.send(group.id, draft), await phone.send(mine, draft, { addressing: 'lid' })]) {
      await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
      world.sandbox.faults.add({ kind: 'download', code: 403 });
      expect(await get(world, `/media/shop/${id}`)).toMatchObject({ status: 200, bytes: file });
    }
  });

  it('GET /media answers 410 when the phone lacks the file, 504 when it is silent, and 400 for a closed instance', async () => {
    const world = await startLinked({ QUERY_TIMEOUT: '1500' });
    world.expectErrors(/^request.failed$/);
    const lostFile = await receiveForged(world, withImage({ directPath: '/v/nowhere' }));
    const missing = await get(world, lostFile.link, {});
    expect(missing).toMatchObject({ status: 410, body: { code: 'MEDIA_GONE' } });

    const { link } = await receive(world);
    world.sandbox.faults.add({ kind: 'download', code: 404 });
    world.sandbox.faults.add({ kind: 'stall', number: mine });
    const silent = await get(world, link, {});
    expect(silent).toMatchObject({ status: 504, body: { code: 'PLATFORM_TIMEOUT' } });

    await world.restart();
    await world.api('DELETE', '/instance/logout/shop');
    world.sandbox.faults.add({ kind: 'download', code: 404 });
    const closed = await get(world, link, {});
    expect(closed).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_OPEN' } });
    expect((await get(world, link, {})).status, 'a file on the media host requires no connection').toBe(200);
  });
});

describe('message.base64', () => {
  const waitForUpsert = (world: World, after: number) =>
    world.receiver.next(({ body }) => isEvent(body, 'messages.upsert', 'shop'), { after });

  it('webhook posts with webhook_base64 have the file in message.base64, or the reason in message.base64Error', async () => {
    const world = await startLinked({ MEDIA_LIMIT: '400000' });
    const hook = { url: world.receiver.url, webhook_base64: true };
    expect((await world.api('POST', '/webhook/set/shop', hook)).status).toBe(201);
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const stickerMessage = { image: png.toString('base64') };
    const sent = await world.api('POST', '/message/sendSticker/shop', { number: contact, stickerMessage });
    const { body } = await world.receiver.next((post) => isEvent(post.body, 'send.message', 'shop'));
    const sticker = Buffer.from(textAt(body, 'data.message.base64'), 'base64');
    expect(sha256Hex(sticker)).toBe(
      Buffer.from(textAt(body, 'data.message.stickerMessage.fileSha256'), 'base64').toString('hex'),
    );
    expect((await get(world, `/media/shop/${textAt(sent.body, 'key.id')}`)).bytes).toEqual(sticker);

    const phone = world.sandbox.phones.phone(contact);
    const sendAndGet = async (bytes: Buffer) => {
      const after = world.receiver.posts.length;
      await phone.send(mine, { media: { kind: 'image', bytes } });
      return at((await waitForUpsert(world, after)).body, 'data.message');
    };
    const whole = await sendAndGet(file);
    expect(sha256Hex(Buffer.from(textAt(whole, 'base64'), 'base64'))).toBe(sha256Hex(file));
    expect(textAt(whole, 'mediaUrl')).toContain('/media/shop/');
    expect(await sendAndGet(randomBytes(400_001))).toMatchObject({ base64Error: 'MEDIA_OVER_LIMIT' });
    world.sandbox.faults.add({ kind: 'download', code: 404 });
    const missing = await sendAndGet(file);
    expect(missing).toMatchObject({ base64Error: 'MEDIA_GONE' });
    expect(missing).not.toHaveProperty('base64');
    await world.api('POST', '/webhook/set/shop', { ...hook, webhook_base64: false });
    expect(await sendAndGet(file)).not.toHaveProperty('base64');
  });
});
