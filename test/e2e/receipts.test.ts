// Receipts of own messages, in bursts and in the backlog: the session stores each of them in order, and then
// acknowledges it.
import { describe, expect, it } from 'vitest';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { SocketSession } from '../../src/whatsapp/connection/socket-session.ts';
import { markMessagesAsRead } from '../../src/whatsapp/message/mark-read.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { waitFor, waitUntil } from '../support/wait-for.ts';
import { contact, instanceId, ownNumber, type SessionProbe, textBody, useStage } from './session-stage.ts';

const stage = useStage();
const jid = `${contact}@s.whatsapp.net`;

/** Statuses stored for a message, oldest first. */
const storedStatuses = async (id: string) =>
  (await stage.storage.messages.statuses(instanceId, id)).map(({ status }) => status);

function device() {
  const [companion] = stage.sandbox.world.account(ownNumber).companions.values();
  if (!companion) throw new Error('not linked');
  return companion;
}

/** Sends receipts of these types at the same time. `undefined` is a delivery receipt. */
function sendReceipts(id: string, types: (string | undefined)[]): void {
  for (const type of types) {
    const addresses = type === 'sender' ? { from: `${ownNumber}@s.whatsapp.net`, recipient: jid } : { from: jid };
    deliverReceipt(stage.sandbox.world, device(), { ...addresses, ids: [id], type });
  }
}

/** Whether the platform has a stanza with this tag that is not acknowledged. */
const isQueued = (tag: string) => device().queue.some(({ node }) => node.tag === tag);

/** Sends a message that the platform acknowledges and does not deliver. */
async function send(line: SessionProbe): Promise<string> {
  stage.sandbox.world.account(contact).blocked.add(ownNumber);
  const { key } = await sendText(line.session, textBody('hello'));
  await line.until(() => line.statuses(key.id).includes('SERVER_ACK'));
  return key.id;
}

/** Waits until the session has processed all earlier stanzas of the platform. */
async function waitForEarlierStanzas(line: SessionProbe): Promise<void> {
  const id = await stage.phone(contact).send(ownNumber, { text: 'the end' });
  await line.until(() => line.received().some(({ key }) => key.id === id));
}

describe('receipts', () => {
  it.each([
    ['each status', [undefined, 'read', 'played'], ['SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED']],
    ['READ before the delivery to another device', ['read', undefined], ['SERVER_ACK', 'READ']],
    ['READ before the receipt of another own device', ['read', 'sender'], ['SERVER_ACK', 'READ']],
  ])('receipts that arrive at the same time are stored as statuses: %s', async (_, types, expected) => {
    const line = await stage.openLinked();
    const id = await send(line);
    sendReceipts(id, types);
    await waitForEarlierStanzas(line);
    expect(await storedStatuses(id)).toEqual(expected);
  });

  it.each([
    'direct',
    'group',
  ])('receipts in the backlog of a %s chat are reported after their message', async (kind) => {
    const firstLine = await stage.openLinked();
    await firstLine.session.close();
    const chat = kind === 'group' ? stage.phone(ownNumber).createGroup('Club', [contact]).id : contact;
    const id = await stage.phone(ownNumber).send(chat, { text: 'from the phone' });
    const queues = Array.from(stage.sandbox.world.account(ownNumber).companions.values(), ({ queue }) => queue);
    const sentAt = Number(queues.flat().find(({ node }) => node.attrs.id === id)?.node.attrs.t);
    stage.phone(contact).read(kind === 'group' ? chat : ownNumber);
    const line = await stage.openLinked();
    await line.until(() => line.statuses(id).includes('READ'));
    const statuses = line.events.flatMap((event): unknown[] => {
      if (event.type === 'messages.upsert' && event.message.key.id === id) return [event.message.messageTimestamp];
      return event.type === 'messages.update' && event.key.id === id ? [event.status] : [];
    });
    expect(statuses).toEqual([sentAt, 'DELIVERY_ACK', 'READ']);
    expect(await storedStatuses(id)).toEqual(['DELIVERY_ACK', 'READ']);
  });

  it('a read receipt of a group member is stored after a receipt of the own phone, and no chat is reported as read', async () => {
    const line = await stage.openLinked();
    const { id: from } = stage.phone(ownNumber).createGroup('Club', [contact]);
    const { key } = await sendText(line.session, { number: from, textMessage: { text: 'hello' } });
    await line.until(() => line.statuses(key.id).includes('SERVER_ACK'));
    const ids = [key.id];
    const participant = `${ownNumber}@s.whatsapp.net`;
    deliverReceipt(stage.sandbox.world, device(), { from, participant, ids, type: 'sender' });
    deliverReceipt(stage.sandbox.world, device(), { from, participant: jid, ids, type: 'read' });
    await waitForEarlierStanzas(line);
    expect(await storedStatuses(key.id)).toContain('READ');
    expect(line.events.filter(({ type }) => type === 'chats.update')).toEqual([]);
  });

  it('a receipt is acknowledged after it is stored, and not before', async () => {
    const line = await stage.openLinked();
    const id = await send(line);
    const { messages } = stage.storage;
    const { record } = messages;
    const disk = Promise.withResolvers<void>();
    messages.record = (...batch) => disk.promise.then(() => record(...batch));
    sendReceipts(id, ['read']);
    await stage.phone(contact).send(ownNumber, { text: 'hello' });
    // Later stanzas are still acknowledged.
    await waitUntil(() => !isQueued('message'));
    expect(isQueued('receipt')).toBe(true);
    disk.resolve();
    await waitUntil(() => !isQueued('receipt'));
    expect(await storedStatuses(id)).toEqual(['SERVER_ACK', 'READ']);
  });

  it('a receipt that could not be stored is delivered again', async () => {
    const line = await stage.openLinked();
    const id = await send(line);
    stage.ingestFailure = new Error('disk full');
    sendReceipts(id, ['read']);
    await line.signal('closed');
    stage.ingestFailure = undefined;
    const reopened = await stage.openLinked();
    await reopened.until(() => reopened.statuses(id).includes('READ'));
    expect(await storedStatuses(id)).toEqual(['SERVER_ACK', 'READ']);
  });
});

it('waitForEvents() waits for the events of earlier updates, also when the last update has no event', async () => {
  const { session } = await stage.openLinked();
  if (!(session instanceof SocketSession)) throw new Error('another session');
  const { messages } = stage.storage;
  const { record } = messages;
  const [recordCalled, disk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  messages.record = (...batch) => {
    recordCalled.resolve();
    return disk.promise.then(() => record(...batch));
  };
  const { ev } = session.socket;
  // Baileys buffers events for seconds while it handles the stanzas that arrive after a login.
  ev.flush();
  ev.emit('messages.update', [{ key: { remoteJid: jid, id: 'A' }, update: { starred: true } }]);
  ev.emit('blocklist.update', { blocklist: [jid], type: 'add' });
  let isStored = false;
  const waiting = session.waitForEvents().then(() => {
    isStored = true;
  });
  await recordCalled.promise;
  expect(isStored).toBe(false);
  disk.resolve();
  await waiting;
});

it('a read receipt of another person does not mark a chat of the account as read', async () => {
  const line = await stage.openLinked();
  const phone = stage.phone(contact);
  const id = await phone.send(ownNumber, { text: 'unread' });
  await line.until(() => line.received().some(({ key }) => key.id === id));
  deliverReceipt(stage.sandbox.world, device(), {
    from: jid,
    recipient: `${ownNumber}@s.whatsapp.net`,
    ids: [id],
    type: 'read',
  });
  await waitFor(() => expect(isQueued('receipt')).toBe(false));
  expect(line.events.filter(({ type }) => type === 'chats.update')).toEqual([]);
  expect(await stage.storage.messages.statuses(instanceId, id)).toEqual([]);
  // The own phone of the account reads the message.
  deliverReceipt(stage.sandbox.world, device(), {
    from: `${ownNumber}@s.whatsapp.net`,
    recipient: jid,
    ids: [id],
    type: 'read',
  });
  await line.until(() => line.events.some(({ type }) => type === 'chats.update'));
});

it('a read receipt of a message that is not stored names its author by LID in a group addressed by LID', async () => {
  const line = await stage.openLinked();
  const { account } = stage.sandbox.world;
  const addressing = 'lid';
  const [group] = stage.sandbox.groups.create(account(contact), 'Crew', [`${ownNumber}@s.whatsapp.net`], {
    addressing,
  });
  await line.until(() => line.events.some(({ type }) => type === 'groups.upsert'));
  const key = { id: 'AC01', fromMe: false, remoteJid: group.id, participant: jid };
  await markMessagesAsRead(line.session, [key]);
  const { node } = await stage.stanza((stanza) => stanza.node.tag === 'receipt' && stanza.node.attrs.id === 'AC01');
  expect(node.attrs).toMatchObject({ to: group.id, participant: lidJid(account(contact)) });
});
