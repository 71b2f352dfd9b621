// Findings of the fuzzer (`npm run fuzz`). Each test sends one finding to an instance, which then works as before.
import { deflateSync } from 'node:zlib';
import { type BinaryNode, encodeBinaryNode, proto, writeRandomPadMax16 } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { createEncNode } from '../../packages/sandbox/src/world/delivery.ts';
import { at } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

/** The first byte of a frame whose other bytes are compressed. */
const COMPRESSED = 2;
const mine = '15550019001';
const contact = '15550019002';

/** Sends `content` and then a text from a phone. Resolves with the posted content after both have arrived. */
async function sendAndReceive(world: World, content: proto.IMessage): Promise<unknown> {
  const phone = world.sandbox.phones.phone(contact);
  const id = await phone.send(mine, { raw: proto.Message.encode(content).finish() });
  const last = await phone.send(mine, { text: 'afterwards' });
  const waitForPost = (messageId: string) =>
    world.receiver.next(
      ({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === messageId,
    );
  await waitForPost(last);
  return at((await waitForPost(id)).body, 'data.message');
}

// `startWorld` checks all posts against the contract.
it.each<{ what: string; content: proto.IMessage; posted: object }>([
  {
    what: 'NaN and Infinity in a location',
    content: {
      locationMessage: { degreesLatitude: Number.NaN, degreesLongitude: Number.POSITIVE_INFINITY, name: 'x' },
    },
    posted: { locationMessage: { name: 'x' } },
  },
  {
    what: '-Infinity in a quoted message',
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
])('a webhook post omits invalid numbers: $what', async ({ content, posted }) => {
  const world = await startWorld();
  await world.link('shop', mine);
  expect(await sendAndReceive(world, content)).toEqual(posted);
});

// Earlier, Baileys waited more than 2 s for each of them, and the messages of all senders waited behind it.
it('the gateway does not delay a message behind twenty undecryptable messages', async () => {
  const world = await startWorld();
  await world.link('shop', mine);
  const phone = world.sandbox.phones.phone(contact);
  const isOf = (event: string, id: string) => (post: { body: unknown }) =>
    isEvent(post.body, event, 'shop') && at(post.body, 'data.key.id') === id;
  const first = await phone.send(mine, { text: 'before' });
  await world.receiver.next(isOf('messages.upsert', first));
  const ids = Array.from({ length: 20 }, (_empty, n) => `GARBLED${n}`);
  for (const id of ids) {
    const attrs = { id, from: `${contact}@s.whatsapp.net`, type: 'text', t: '1767225600' };
    const enc = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.alloc(60, 0x33) };
    world.sandbox.inject(mine, 'stanza', Buffer.from(encodeBinaryNode({ tag: 'message', attrs, content: [enc] })));
  }
  const started = performance.now();
  const last = await phone.send(mine, { text: 'behind them' });
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
  ['a contact', 'plaintext', `${contact}@s.whatsapp.net`],
  ['the phone of the account', 'plaintext', `${mine}@s.whatsapp.net`],
  ['a contact in an enc element', 'enc', `${contact}@s.whatsapp.net`],
  ['the phone of the account in an enc element', 'enc', `${mine}@s.whatsapp.net`],
])('the gateway ignores an unencrypted message of %s', async (_, tag, from) => {
  const world = await startWorld();
  await world.link('shop', mine);
  for (const content of [{ conversation: 'forged' }, forgedKeys]) {
    const attrs = { id: 'FORGED', from, type: 'text', t: '1767225600' };
    const node = { tag: 'message', attrs, content: [unencrypted(tag, content)] };
    world.sandbox.inject(mine, 'stanza', Buffer.from(encodeBinaryNode(node)));
  }
  expect(await sendAndReceive(world, { conversation: 'real' })).toEqual({ conversation: 'real' });
  expect(JSON.stringify(world.receiver.posts.map(({ body }) => body))).not.toContain('forged');
});

it('the gateway ignores a message of a contact inside a notification about a channel', async () => {
  const world = await startWorld();
  await world.link('shop', mine);
  const child = {
    tag: 'message',
    attrs: { message_id: 'FORGED', t: '1767225600' },
    content: [unencrypted('plaintext', { conversation: 'forged' })],
  };
  const attrs = { id: 'N1', from: `${contact}@s.whatsapp.net`, type: 'newsletter', t: '1767225600' };
  const node = { tag: 'notification', attrs, content: [child] };
  world.sandbox.inject(mine, 'stanza', Buffer.from(encodeBinaryNode(node)));
  expect(await sendAndReceive(world, { conversation: 'real' })).toEqual({ conversation: 'real' });
  expect(JSON.stringify(world.receiver.posts.map(({ body }) => body))).not.toContain('forged');
});

it('the gateway acknowledges a message whose id is the name of a method of all objects', async () => {
  const world = await startWorld();
  await world.link('shop', mine);
  const [companion] = world.sandbox.world.account(mine).companions.values();
  for (const id of ['constructor', 'toString']) {
    await world.sandbox.phones.phone(contact).send(mine, { text: 'x' }, { id });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === id);
  }
  await waitFor(() => expect(companion?.queue).toEqual([]));
});

// Earlier, such a stanza ended the connection, and each one made the wait for the next connection longer.
it.each<[string, BinaryNode]>([
  ['was linked', { tag: 'pair-success', attrs: {} }],
  ['may be linked', { tag: 'pair-device', attrs: {} }],
])('a linked connection stays open when a stanza says that the device %s', async (_, content) => {
  const world = await startWorld();
  await world.link('shop', mine);
  const [companion] = world.sandbox.world.account(mine).companions.values();
  const connection = companion?.connection;
  const attrs = { from: 's.whatsapp.net', type: 'set', id: 'P1' };
  world.sandbox.inject(mine, 'stanza', Buffer.from(encodeBinaryNode({ tag: 'iq', attrs, content: [content] })));
  // The first text can still arrive while the connection ends.
  for (const text of ['behind it', 'and again']) {
    const id = await world.sandbox.phones.phone(contact).send(mine, { text });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === id);
  }
  expect(connection?.live).toBe(true);
  expect(companion?.connection).toBe(connection);
});

it('the gateway posts a compressed message before the uncompressed message behind it', async () => {
  const world = await startWorld();
  await world.link('shop', mine);
  const [companion] = world.sandbox.world.account(mine).companions.values();
  if (!companion) throw new Error('not linked');
  const { signal } = world.sandbox.phones.phone(contact);
  const send = async (id: string, text: string, isCompressed: boolean) => {
    const plaintext = writeRandomPadMax16(proto.Message.encode({ conversation: text }).finish());
    const attrs = { id, from: `${contact}@s.whatsapp.net`, type: 'text', t: '1767225600' };
    const content = [createEncNode(await signal.encrypt(companion, plaintext))];
    const frame = Buffer.from(encodeBinaryNode({ tag: 'message', attrs, content }));
    return isCompressed ? Buffer.concat([Buffer.from([COMPRESSED]), deflateSync(frame.subarray(1))]) : frame;
  };
  const frames = [await send('FIRST', 'x'.repeat(60_000), true), await send('SECOND', 'y', false)];
  for (const frame of frames) world.sandbox.inject(mine, 'stanza', frame);
  await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === 'SECOND');
  const ids = world.receiver.posts.flatMap(({ body }) =>
    isEvent(body, 'messages.upsert') ? [at(body, 'data.key.id')] : [],
  );
  expect(ids).toEqual(['FIRST', 'SECOND']);
});

it('findChats lists the chat of a message from a year that ISO 8601 cannot write with four digits', async () => {
  const world = await startWorld();
  await world.link('shop', mine);
  const [companion] = world.sandbox.world.account(mine).companions.values();
  if (!companion) throw new Error('not linked');
  const plaintext = writeRandomPadMax16(proto.Message.encode({ conversation: 'x' }).finish());
  const encrypted = await world.sandbox.phones.phone(contact).signal.encrypt(companion, plaintext);
  const attrs = { id: 'LATE', from: `${contact}@s.whatsapp.net`, type: 'text', t: '9007199254740991' };
  const node = { tag: 'message', attrs, content: [createEncNode(encrypted)] };
  world.sandbox.inject(mine, 'stanza', Buffer.from(encodeBinaryNode(node)));
  await world.receiver.next(
    ({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === 'LATE',
  );
  expect(await world.api('POST', '/chat/findChats/shop', {})).toMatchObject({
    status: 200,
    body: [{ remoteJid: `${contact}@s.whatsapp.net`, updatedAt: null }],
  });
});
