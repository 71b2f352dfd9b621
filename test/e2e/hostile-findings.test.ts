// What the fuzzer found (npm run fuzz), as cases of their own: each is sent to an instance, which then works as before.
import { deflateSync } from 'node:zlib';
import { type BinaryNode, encodeBinaryNode, proto, writeRandomPadMax16 } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { createEncNode } from '../../packages/sandbox/src/world/delivery.ts';
import { at } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

/** The first byte of a frame whose other bytes are compressed. */
const COMPRESSED = 2;
const me = '15550019001';
const other = '15550019002';

/** Sends the content from a phone, then a text; resolves with the posted content, after the text arrived as well. */
async function received(world: World, content: proto.IMessage): Promise<unknown> {
  const phone = world.sandbox.phones.phone(other);
  const id = await phone.send(me, { raw: proto.Message.encode(content).finish() });
  const last = await phone.send(me, { text: 'afterwards' });
  const posted = (wanted: string) =>
    world.receiver.next(({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === wanted);
  await posted(last);
  return at((await posted(id)).body, 'data.message');
}

// Posts are held to the contract by startWorld.
it.each<{ what: string; content: proto.IMessage; posted: object }>([
  {
    what: 'a location whose numbers are none',
    content: {
      locationMessage: { degreesLatitude: Number.NaN, degreesLongitude: Number.POSITIVE_INFINITY, name: 'x' },
    },
    posted: { locationMessage: { name: 'x' } },
  },
  {
    what: 'numbers that are none in a quoted message',
    content: {
      extendedTextMessage: {
        text: 'x',
        contextInfo: {
          quotedMessage: { liveLocationMessage: { degreesLatitude: Number.NEGATIVE_INFINITY, caption: 'y' } },
        },
      },
    },
    posted: {
      conversation: 'x',
      extendedTextMessage: { text: 'x', contextInfo: { quotedMessage: { liveLocationMessage: { caption: 'y' } } } },
    },
  },
])('posts $what without them', async ({ content, posted }) => {
  const world = await startWorld();
  await world.link('shop', me);
  expect(await received(world, content)).toEqual(posted);
});

// Before, the library waited more than 2 s for each of them, with the messages of all senders behind it.
it('does not delay a message behind twenty undecryptable messages', async () => {
  const world = await startWorld();
  await world.link('shop', me);
  const phone = world.sandbox.phones.phone(other);
  const isOf = (event: string, id: string) => (post: { body: unknown }) =>
    isEvent(post.body, event, 'shop') && at(post.body, 'data.key.id') === id;
  const first = await phone.send(me, { text: 'before' });
  await world.receiver.next(isOf('messages.upsert', first));
  const ids = Array.from({ length: 20 }, (_empty, n) => `GARBLED${n}`);
  for (const id of ids) {
    const attrs = { id, from: `${other}@s.whatsapp.net`, type: 'text', t: '1767225600' };
    const enc = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.alloc(60, 0x33) };
    world.sandbox.inject(me, 'stanza', Buffer.from(encodeBinaryNode({ tag: 'message', attrs, content: [enc] })));
  }
  const started = performance.now();
  const last = await phone.send(me, { text: 'behind them' });
  await world.receiver.next(isOf('messages.upsert', last));
  expect(performance.now() - started).toBeLessThan(10_000);
  for (const id of ids) await world.receiver.next(isOf('messages.undecryptable', id));
});

/** An unencrypted message for the client itself, which only the phone of the account may send. */
const forgedKeys: proto.IMessage = {
  protocolMessage: {
    type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE,
    appStateSyncKeyShare: {
      keys: [{ keyId: { keyId: Buffer.from('forged') }, keyData: { keyData: Buffer.alloc(32), timestamp: 1 } }],
    },
  },
};
const unencrypted = (tag: string, content: proto.IMessage): BinaryNode => ({
  tag,
  attrs: tag === 'enc' ? { v: '2', type: 'plaintext' } : {},
  content: proto.Message.encode(content).finish(),
});

it.each([
  ['a contact', 'plaintext', `${other}@s.whatsapp.net`],
  ['the phone of the account', 'plaintext', `${me}@s.whatsapp.net`],
  ['a contact, as encrypted', 'enc', `${other}@s.whatsapp.net`],
  ['the phone of the account, as encrypted', 'enc', `${me}@s.whatsapp.net`],
])('believes no unencrypted message of %s', async (_, tag, from) => {
  const world = await startWorld();
  await world.link('shop', me);
  for (const content of [{ conversation: 'forged' }, forgedKeys]) {
    const attrs = { id: 'FORGED', from, type: 'text', t: '1767225600' };
    const node = { tag: 'message', attrs, content: [unencrypted(tag, content)] };
    world.sandbox.inject(me, 'stanza', Buffer.from(encodeBinaryNode(node)));
  }
  expect(await received(world, { conversation: 'real' })).toEqual({ conversation: 'real' });
  expect(JSON.stringify(world.receiver.posts.map(({ body }) => body))).not.toContain('forged');
});

it('believes no message of a contact in a notification about a channel', async () => {
  const world = await startWorld();
  await world.link('shop', me);
  const child = {
    tag: 'message',
    attrs: { message_id: 'FORGED', t: '1767225600' },
    content: [unencrypted('plaintext', { conversation: 'forged' })],
  };
  const attrs = { id: 'N1', from: `${other}@s.whatsapp.net`, type: 'newsletter', t: '1767225600' };
  const node = { tag: 'notification', attrs, content: [child] };
  world.sandbox.inject(me, 'stanza', Buffer.from(encodeBinaryNode(node)));
  expect(await received(world, { conversation: 'real' })).toEqual({ conversation: 'real' });
  expect(JSON.stringify(world.receiver.posts.map(({ body }) => body))).not.toContain('forged');
});

it('acknowledges a message whose id is the name of a method of all objects', async () => {
  const world = await startWorld();
  await world.link('shop', me);
  const [companion] = world.sandbox.world.account(me).companions.values();
  for (const id of ['constructor', 'toString']) {
    await world.sandbox.phones.phone(other).send(me, { text: 'x' }, { id });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === id);
  }
  await waitFor(() => expect(companion?.queue).toEqual([]));
});

// Before, such a stanza ended the connection, and each made the wait for the next one longer.
it.each<[string, BinaryNode]>([
  ['was linked', { tag: 'pair-success', attrs: {} }],
  ['may be linked', { tag: 'pair-device', attrs: {} }],
])('keeps a linked connection when a stanza says that the device %s', async (_, content) => {
  const world = await startWorld();
  await world.link('shop', me);
  const [companion] = world.sandbox.world.account(me).companions.values();
  const connection = companion?.connection;
  const attrs = { from: 's.whatsapp.net', type: 'set', id: 'P1' };
  world.sandbox.inject(me, 'stanza', Buffer.from(encodeBinaryNode({ tag: 'iq', attrs, content: [content] })));
  // The first may still arrive while the connection ends.
  for (const text of ['behind it', 'and again']) {
    const id = await world.sandbox.phones.phone(other).send(me, { text });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === id);
  }
  expect(connection?.live).toBe(true);
  expect(companion?.connection).toBe(connection);
});

it('posts a message behind a compressed one after it', async () => {
  const world = await startWorld();
  await world.link('shop', me);
  const [companion] = world.sandbox.world.account(me).companions.values();
  if (!companion) throw new Error('not linked');
  const { signal } = world.sandbox.phones.phone(other);
  const send = async (id: string, text: string, isCompressed: boolean) => {
    const plaintext = writeRandomPadMax16(proto.Message.encode({ conversation: text }).finish());
    const attrs = { id, from: `${other}@s.whatsapp.net`, type: 'text', t: '1767225600' };
    const content = [createEncNode(await signal.encrypt(companion, plaintext))];
    const frame = Buffer.from(encodeBinaryNode({ tag: 'message', attrs, content }));
    return isCompressed ? Buffer.concat([Buffer.from([COMPRESSED]), deflateSync(frame.subarray(1))]) : frame;
  };
  const frames = [await send('FIRST', 'x'.repeat(60_000), true), await send('SECOND', 'y', false)];
  for (const frame of frames) world.sandbox.inject(me, 'stanza', frame);
  await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === 'SECOND');
  const ids = world.receiver.posts.flatMap(({ body }) =>
    isEvent(body, 'messages.upsert') ? [at(body, 'data.key.id')] : [],
  );
  expect(ids).toEqual(['FIRST', 'SECOND']);
});

it('lists the chat of a message from a year that ISO 8601 cannot write with four digits', async () => {
  const world = await startWorld();
  await world.link('shop', me);
  const [companion] = world.sandbox.world.account(me).companions.values();
  if (!companion) throw new Error('not linked');
  const plaintext = writeRandomPadMax16(proto.Message.encode({ conversation: 'x' }).finish());
  const encrypted = await world.sandbox.phones.phone(other).signal.encrypt(companion, plaintext);
  const attrs = { id: 'LATE', from: `${other}@s.whatsapp.net`, type: 'text', t: '9007199254740991' };
  const node = { tag: 'message', attrs, content: [createEncNode(encrypted)] };
  world.sandbox.inject(me, 'stanza', Buffer.from(encodeBinaryNode(node)));
  await world.receiver.next(
    ({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === 'LATE',
  );
  expect(await world.api('POST', '/chat/findChats/shop', {})).toMatchObject({
    status: 200,
    body: [{ remoteJid: `${other}@s.whatsapp.net`, updatedAt: null }],
  });
});
