// Results of sends: the wait for the ack, statuses, refusals, restrictions of the account, and repeated requests.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const mine = '15550012001';
const contact = '15550012002';

async function startLinked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('shop', mine);
  return world;
}

const send = (world: World, text: string, { query = '', key }: { query?: string; key?: string } = {}) =>
  world.api(
    'POST',
    `/message/sendText/shop${query}`,
    { number: contact, textMessage: { text } },
    key === undefined ? {} : { 'idempotency-key': key },
  );

const texts = (world: World) =>
  world.sandbox.phones
    .phone(contact)
    .messages()
    .filter(({ fromMe }) => !fromMe)
    .map(({ text }) => text);

/**
 * Sends one more text and waits until the phone has it. Earlier messages of the chat have then arrived, too. The answer
 * to a send does not prove that.
 */
async function sendLast(world: World, text: string): Promise<void> {
  expect((await send(world, text)).status).toBe(201);
  const phone = world.sandbox.phones.phone(contact);
  await phone.waitFor(() => texts(world).includes(text));
}

/** Holds the next messages of the instance back until `release`. `reached` resolves when the first one is held. */
function holdMessages(world: World): { reached: Promise<void>; release: () => void } {
  const session = world.gateway.manager.get('shop')?.session();
  if (!session) throw new Error('not open');
  const { socket } = session;
  const { relayMessage } = socket;
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const relayWhenReleased: typeof relayMessage = async (...message) => {
    reached.resolve();
    await released.promise;
    return relayMessage(...message);
  };
  Object.assign(socket, { relayMessage: relayWhenReleased });
  const release = () => {
    Object.assign(socket, { relayMessage });
    released.resolve();
  };
  return { reached: reached.promise, release };
}

describe('sends with wait=ack', () => {
  it('a send with wait=ack answers the status from WhatsApp, at the latest after the timeout', async () => {
    const world = await startLinked();
    const accepted = await send(world, 'taken', { query: '?wait=ack' });
    expect(accepted.status).toBe(201);
    expect(at(accepted.body, 'status')).toMatch(/^(SERVER|DELIVERY)_ACK$/);
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const id = textAt(accepted.body, 'key.id');
    await world.receiver.next(
      ({ body }) => isEvent(body, 'messages.update') && at(body, 'data.status') === 'DELIVERY_ACK',
    );
    const report = await world.api('GET', `/message/status/shop/${id}`);
    expect(report.body).toEqual({
      key: expect.objectContaining({ id, fromMe: true, remoteJid: `${contact}@s.whatsapp.net` }),
      status: 'DELIVERY_ACK',
      history: ['PENDING', 'SERVER_ACK', 'DELIVERY_ACK'].map((status) => ({ status, at: iso })),
    });

    world.sandbox.faults.add({ kind: 'nack', number: mine, code: 479 });
    const refused = await world.api('POST', '/message/sendText/shop?wait=ack', { number: contact, text: 'refused' });
    const details = { code: '479', reason: 'stanza_invalid_or_device_stale' };
    expect(refused).toMatchObject({ status: 201, body: { status: 'ERROR', messageType: 'conversation', ...details } });
    const failed = await world.api('GET', `/message/status/shop/${textAt(refused.body, 'key.id')}`);
    expect(failed.body).toMatchObject({
      status: 'ERROR',
      history: [{ status: 'PENDING' }, { status: 'ERROR', ...details }],
    });

    const unknown = await world.api('GET', '/message/status/shop/NOBODY');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'MESSAGE_NOT_FOUND' } });
    expect(unknown.body).not.toHaveProperty('certain');
    for (const [query, problem] of [
      ['?wait=read', 'wait is not one of enum values: ack'],
      ['?wait=', 'wait is not one of enum values: ack'],
      ['?wait=ack&timeout=0', 'timeout must be greater than or equal to 1'],
      ['?wait=ack&timeout=60001', 'timeout must be less than or equal to 60000'],
    ]) {
      const answer = await send(world, 'x', { query });
      expect(answer.body).toMatchObject({ status: 400, response: { message: [[problem]] }, certain: true });
    }

    // The refusal made the gateway forget the devices of the contact. The next message makes them known again.
    expect((await send(world, 'known again')).status).toBe(201);
    world.sandbox.faults.add({ kind: 'stall', number: mine });
    const silent = await send(world, 'into silence', { query: '?wait=ack&timeout=50' });
    expect(silent).toMatchObject({ status: 201, body: { status: 'PENDING' } });
  });
});

describe('accounts that may not start new chats', () => {
  it('a restricted account can answer contacts that wrote to it, and the gateway refuses new chats with the reason', async () => {
    const world = await startLinked();
    const { restrictions, world: platform, faults } = world.sandbox;
    const fetchRecord = async () => {
      const [found] = (await world.api('GET', '/instance/fetchInstances')).body as unknown[];
      return found;
    };
    expect(await fetchRecord()).not.toHaveProperty('restriction');
    // WhatsApp refuses both addresses with 463 for the other reason: the account is not restricted.
    faults.add({ kind: 'nack', code: 463, number: mine, times: 2 });
    const token = await send(world, 'without a token', { query: '?wait=ack' });
    expect(token.body).toMatchObject({ status: 'ERROR', code: '463', reason: 'token_missing' });
    expect(at(await fetchRecord(), 'restriction')).toEqual({ restricted: false, reason: 'DEFAULT', until: null });

    const until = platform.now() + 600;
    const knownContact = '15550012003';
    await world.sandbox.phones.phone(knownContact).send(mine, { text: 'hi' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert'));
    const postsBefore = world.receiver.posts.length;
    restrictions.setLock(mine, { reason: 'BIZ_QUALITY', until });
    await world.receiver.next(({ body }) => isEvent(body, 'instance.restricted'), { after: postsBefore });
    const iso = new Date(until * 1000).toISOString();
    expect(at(await fetchRecord(), 'restriction')).toEqual({ restricted: true, reason: 'BIZ_QUALITY', until: iso });
    const newChat = { number: '15550012004', textMessage: { text: 'hello stranger' } };
    const refused = await world.api('POST', '/message/sendText/shop', newChat, { 'idempotency-key': 'promo-1' });
    expect(refused.body).toMatchObject({ status: 429, code: 'NEW_CHATS_RESTRICTED', certain: true });
    expect(textAt(refused.body, 'response.message.0')).toContain(`${iso}: BIZ_QUALITY`);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    const reply = await world.api('POST', '/message/sendText/shop?wait=ack', { ...newChat, number: knownContact });
    expect(at(reply.body, 'status')).not.toBe('ERROR');

    await world.restart();
    await world.api('GET', '/instance/connect/shop');
    expect((await world.api('POST', '/message/sendText/shop', newChat)).status).toBe(429);
    restrictions.setLock(mine, undefined);
    await world.receiver.next(({ body }) => isEvent(body, 'instance.restricted') && !at(body, 'data.restricted'));
    const quota = { total: 5, used: 4, end: until };
    const postCount = world.receiver.posts.length;
    restrictions.setQuota(mine, { ...quota, used: 5 });
    await world.receiver.next(({ body }) => isEvent(body, 'instance.restricted'), { after: postCount });
    const expectedRestriction = {
      restricted: true,
      reason: 'CAPPED',
      until: iso,
      newChatQuota: { total: 5, used: 5, until: iso },
    };
    expect(at(await fetchRecord(), 'restriction')).toEqual(expectedRestriction);
    const capped = await world.api('POST', '/message/sendText/shop', newChat);
    expect(textAt(capped.body, 'response.message.0')).toContain('quota of new chats');
    await world.restart({ RESTRICTION_GUARD: 'false' });
    await world.api('GET', '/instance/connect/shop');
    const refusal = async () => (await world.api('POST', '/message/sendText/shop?wait=ack', newChat)).body;
    expect(await refusal()).toMatchObject({ status: 'ERROR', code: '475', reason: 'new_chat_quota_used' });
    restrictions.setLock(mine, { reason: 'BIZ_QUALITY', until });
    expect(await refusal()).toMatchObject({ status: 'ERROR', code: '463', reason: 'account_restricted' });
    expect(world.sandbox.phones.phone(newChat.number).messages()).toEqual([]);
  });
});

describe('idempotency keys', () => {
  it('a request with an idempotency key takes effect once, its answer is replayed, and another body is rejected', async () => {
    const world = await startLinked();
    const first = await send(world, 'once', { key: 'order-1' });
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const repeated = await send(world, 'once', { key: 'order-1', query: '?wait=ack' });
    expect({ status: repeated.status, body: repeated.body }).toEqual({ status: 201, body: first.body });
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    const other = await send(world, 'twice', { key: 'order-1' });
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } });
    const second = await send(world, 'once', { key: 'order-2' });
    expect(at(second.body, 'key.id')).not.toBe(at(first.body, 'key.id'));
    const location = { number: contact, locationMessage: { latitude: 1, longitude: 2 } };
    const otherPath = await world.api('POST', '/message/sendLocation/shop', location, { 'idempotency-key': 'order-1' });
    expect(otherPath.status).toBe(201);
    for (const key of ['with blank', 'ü', 'x'.repeat(256), '']) {
      const answer = await send(world, 'x', { key });
      expect(JSON.stringify(answer.body), key).toContain('idempotency-key');
      expect(answer.status).toBe(400);
    }
    const { reached, release } = holdMessages(world);
    const sending = send(world, 'at once', { key: 'order-3' });
    await reached;
    const loser = await send(world, 'at once', { key: 'order-3' });
    release();
    expect([(await sending).status, loser.status]).toEqual([201, 409]);
    expect(loser.headers.get('retry-after')).toBe('1');
    expect(loser.body).toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT', certain: false });
    await sendLast(world, 'before the restart');
    await world.restart();
    await world.api('GET', '/instance/connect/shop');
    const later = await send(world, 'once', { key: 'order-1' });
    expect(later.body).toEqual(first.body);
    await sendLast(world, 'after the restart');
    expect(texts(world).filter((text) => text === 'once')).toHaveLength(2);
    expect(texts(world).filter((text) => text === 'at once')).toHaveLength(1);
  });

  it('a request with an idempotency key is compared by the content of its file', async () => {
    const world = await startLinked();
    const post = async (color: string) => {
      const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: color } })
        .png()
        .toBuffer();
      const form = new FormData();
      form.set('number', contact);
      form.set('file', new Blob([new Uint8Array(picture)]), 'picture.png');
      const headers = { apikey: world.api.key, 'idempotency-key': 'form-1' };
      const answer = await fetch(`${world.api.url}/message/sendSticker/shop`, { method: 'POST', headers, body: form });
      return { status: answer.status, id: JSON.stringify(await answer.json()).match(/3EB0\w+/)?.[0] };
    };
    const first = await post('red');
    expect(first.status).toBe(201);
    expect(await post('red')).toEqual(first);
    expect((await post('blue')).status).toBe(422);
    await sendLast(world, 'after the picture');
    expect(world.sandbox.phones.phone(contact).receivedCount).toBe(2);
  });

  it('a request with an idempotency key can be retried after a certain failure, and an uncertain one is replayed', async () => {
    const world = await startLinked({ QUERY_TIMEOUT: '500', SEND_TIMEOUT: '500' });
    world.expectErrors(/./);
    world.sandbox.faults.add({ kind: 'mute', number: mine, xmlns: 'usync' });
    const unsent = await send(world, 'tried', { key: 'k1' });
    expect(unsent).toMatchObject({ status: 504, body: { certain: true, code: 'PLATFORM_TIMEOUT' } });
    const sent = await send(world, 'tried', { key: 'k1' });
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
    expect(sent.headers.get('idempotency-replayed')).toBeNull();

    const session = world.gateway.manager.get('shop')?.session();
    if (!session) throw new Error('not open');
    const { relayMessage } = session.socket;
    // The write of this send never completes, so its outcome is unknown.
    Object.assign(session.socket, { relayMessage: () => new Promise(() => undefined) });
    const unconfirmedSend = await send(world, 'lost', { key: 'k2' });
    expect(unconfirmedSend).toMatchObject({
      status: 504,
      body: { certain: false, messageId: expect.stringMatching(/^3EB0/) },
    });
    Object.assign(session.socket, { relayMessage });
    const repeated = await send(world, 'lost', { key: 'k2' });
    expect({ status: repeated.status, body: repeated.body }).toEqual({ status: 504, body: unconfirmedSend.body });
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
  });

  it('DEDUPE_WINDOW replays the answer to an equal send without an idempotency key', async () => {
    const world = await startLinked({ DEDUPE_WINDOW: '60000' });
    const first = await send(world, 'twin');
    const repeated = await send(world, 'twin');
    expect(repeated.body).toEqual(first.body);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    await sendLast(world, 'other');
    expect(texts(world)).toEqual(['twin', 'other']);
  });
});
