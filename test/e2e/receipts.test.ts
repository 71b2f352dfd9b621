// Receipts of our messages as the platform sends them, in bursts and in the backlog: each is stored, in order, and only then acknowledged.
import { describe, expect, it } from 'vitest';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { SocketSession } from '../../src/whatsapp/connection/socket-session.ts';
import { markMessagesAsRead } from '../../src/whatsapp/message/mark-read.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { waitFor, waitUntil } from '../support/wait-for.ts';
import { instanceId, type Line, mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();
const jid = `${theirs}@s.whatsapp.net`;

/** Statuses stored for a message, oldest first. */
const stored = async (id: string) =>
  (await stage.storage.messages.statuses(instanceId, id)).map(({ status }) => status);

function device() {
  const [companion] = stage.sandbox.world.account(mine).companions.values();
  if (!companion) throw new Error('not linked');
  return companion;
}

/** Receipts of one moment: `undefined` is a delivery. */
function receipts(id: string, types: (string | undefined)[]): void {
  for (const type of types) {
    const who = type === 'sender' ? { from: `${mine}@s.whatsapp.net`, recipient: jid } : { from: jid };
    deliverReceipt(stage.sandbox.world, device(), { ...who, ids: [id], type });
  }
}

/** The platform has such a stanza without an acknowledgement. */
const isQueued = (tag: string) => device().queue.some(({ node }) => node.tag === tag);

/** A message that left and of which nothing is known but that. */
async function send(line: Line): Promise<string> {
  stage.sandbox.world.account(theirs).blocked.add(mine);
  const { key } = await sendText(line.session, text('hello'));
  await line.until(() => line.statuses(key.id).includes('SERVER_ACK'));
  return key.id;
}

/** Everything that the platform said before is through. */
async function settled(line: Line): Promise<void> {
  const id = await stage.phone(theirs).send(mine, { text: 'the end' });
  await line.until(() => line.received().some(({ key }) => key.id === id));
}

describe('receipts', () => {
  it.each([
    ['each status', [undefined, 'read', 'played'], ['SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED']],
    ['READ before the delivery to another device', ['read', undefined], ['SERVER_ACK', 'READ']],
    ['READ before the word of our own device', ['read', 'sender'], ['SERVER_ACK', 'READ']],
  ])('of one moment are all taken: %s', async (_, types, expected) => {
    const line = await stage.openLinked();
    const id = await send(line);
    receipts(id, types);
    await settled(line);
    expect(await stored(id)).toEqual(expected);
  });

  it.each(['direct', 'group'])('of the backlog follow the message that they are about: %s', async (kind) => {
    const first = await stage.openLinked();
    await first.session.close();
    const chat = kind === 'group' ? stage.phone(mine).createGroup('Club', [theirs]).id : theirs;
    const id = await stage.phone(mine).send(chat, { text: 'from the phone' });
    const queues = Array.from(stage.sandbox.world.account(mine).companions.values(), ({ queue }) => queue);
    const sentAt = Number(queues.flat().find(({ node }) => node.attrs.id === id)?.node.attrs.t);
    stage.phone(theirs).read(kind === 'group' ? chat : mine);
    const line = await stage.openLinked();
    await line.until(() => line.statuses(id).includes('READ'));
    const statuses = line.events.flatMap((event): unknown[] => {
      if (event.type === 'messages.upsert' && event.message.key.id === id) return [event.message.messageTimestamp];
      return event.type === 'messages.update' && event.key.id === id ? [event.status] : [];
    });
    expect(statuses).toEqual([sentAt, 'DELIVERY_ACK', 'READ']);
    expect(await stored(id)).toEqual(['DELIVERY_ACK', 'READ']);
  });

  it('of the members of a group count after one of the own phone, which reports no chat as read', async () => {
    const line = await stage.openLinked();
    const { id: from } = stage.phone(mine).createGroup('Club', [theirs]);
    const { key } = await sendText(line.session, { number: from, textMessage: { text: 'hello' } });
    await line.until(() => line.statuses(key.id).includes('SERVER_ACK'));
    const ids = [key.id];
    const participant = `${mine}@s.whatsapp.net`;
    deliverReceipt(stage.sandbox.world, device(), { from, participant, ids, type: 'sender' });
    deliverReceipt(stage.sandbox.world, device(), { from, participant: jid, ids, type: 'read' });
    await settled(line);
    expect(await stored(key.id)).toContain('READ');
    expect(line.events.filter(({ type }) => type === 'chats.update')).toEqual([]);
  });

  it('are acknowledged when they are stored, and not before', async () => {
    const line = await stage.openLinked();
    const id = await send(line);
    const { messages } = stage.storage;
    const { record } = messages;
    const disk = Promise.withResolvers<void>();
    messages.record = (...batch) => disk.promise.then(() => record(...batch));
    receipts(id, ['read']);
    await stage.phone(theirs).send(mine, { text: 'hello' });
    // All that follows is acknowledged as before.
    await waitUntil(() => !isQueued('message'));
    expect(isQueued('receipt')).toBe(true);
    disk.resolve();
    await waitUntil(() => !isQueued('receipt'));
    expect(await stored(id)).toEqual(['SERVER_ACK', 'READ']);
  });

  it('are delivered again when they could not be stored', async () => {
    const line = await stage.openLinked();
    const id = await send(line);
    stage.ingestFailure = new Error('disk full');
    receipts(id, ['read']);
    await line.signal('closed');
    stage.ingestFailure = undefined;
    const back = await stage.openLinked();
    await back.until(() => back.statuses(id).includes('READ'));
    expect(await stored(id)).toEqual(['SERVER_ACK', 'READ']);
  });
});

it('and notifications wait for the events of earlier updates, also when the last update has no event', async () => {
  const { session } = await stage.openLinked();
  if (!(session instanceof SocketSession)) throw new Error('another session');
  const { messages } = stage.storage;
  const { record } = messages;
  const [called, disk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  messages.record = (...batch) => {
    called.resolve();
    return disk.promise.then(() => record(...batch));
  };
  const { ev } = session.socket;
  // Baileys keeps events back for seconds while it handles what arrives after a login.
  ev.flush();
  ev.emit('messages.update', [{ key: { remoteJid: jid, id: 'A' }, update: { starred: true } }]);
  ev.emit('blocklist.update', { blocklist: [jid], type: 'add' });
  let isStored = false;
  const stored = session.waitForEvents().then(() => {
    isStored = true;
  });
  await called.promise;
  expect(isStored).toBe(false);
  disk.resolve();
  await stored;
});

it('say nothing about what this account has read when another person sends them', async () => {
  const line = await stage.openLinked();
  const phone = stage.phone(theirs);
  const id = await phone.send(mine, { text: 'unread' });
  await line.until(() => line.received().some(({ key }) => key.id === id));
  deliverReceipt(stage.sandbox.world, device(), {
    from: jid,
    recipient: `${mine}@s.whatsapp.net`,
    ids: [id],
    type: 'read',
  });
  await waitFor(() => expect(isQueued('receipt')).toBe(false));
  expect(line.events.filter(({ type }) => type === 'chats.update')).toEqual([]);
  expect(await stage.storage.messages.statuses(instanceId, id)).toEqual([]);
  // The account's own phone reads it.
  deliverReceipt(stage.sandbox.world, device(), {
    from: `${mine}@s.whatsapp.net`,
    recipient: jid,
    ids: [id],
    type: 'read',
  });
  await line.until(() => line.events.some(({ type }) => type === 'chats.update'));
});

it('a read receipt of a message that is not stored names its author by LID in a group that names its members so', async () => {
  const line = await stage.openLinked();
  const { account } = stage.sandbox.world;
  const addressing = 'lid';
  const [group] = stage.sandbox.groups.create(account(theirs), 'Crew', [`${mine}@s.whatsapp.net`], { addressing });
  await line.until(() => line.events.some(({ type }) => type === 'groups.upsert'));
  const key = { id: 'AC01', fromMe: false, remoteJid: group.id, participant: jid };
  await markMessagesAsRead(line.session, [key]);
  const { node } = await stage.stanza((stanza) => stanza.node.tag === 'receipt' && stanza.node.attrs.id === 'AC01');
  expect(node.attrs).toMatchObject({ to: group.id, participant: lidJid(account(theirs)) });
});
