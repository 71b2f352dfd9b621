// Sender keys (Signal keys of a member for a group) that messages contain: a session accepts a key only for the chat of
// its message.
import { proto, writeRandomPadMax16 } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { OwnSenderKey } from '../../packages/sandbox/src/world/sender-keys.ts';
import { contact, ownNumber, useStage } from './session-stage.ts';

const stage = useStage();

const encodeSenderKey = (groupId: string) =>
  proto.Message.encode({
    senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: new OwnSenderKey().distribution() },
  }).finish();

const senderKeys = () => [...stage.keys.rows.keys()].filter((key) => key.startsWith('sender-key|'));

const GROUP = '120363025246125486@g.us';
/** Names of key types, for which Baileys has locks, and ids that are too long for an index of PostgreSQL. */
const OTHER_CHATS = ['sender-key', 'session', 'pre-key', 'lid-mapping', 'device-list', GROUP, 'x'.repeat(4_000)];

it('a session accepts a sender key for statuses in a direct chat, because Baileys resends statuses like this', async () => {
  const line = await stage.openLinked();
  await stage.phone(contact).send(ownNumber, { raw: encodeSenderKey('status@broadcast') });
  await stage.phone(contact).send(ownNumber, { text: 'after it' });
  await line.until(() => line.received().some(({ message }) => message.conversation === 'after it'));
  expect(senderKeys()).toEqual([expect.stringContaining('|status@broadcast::')]);
});

describe('sender keys for other chats', () => {
  it('a session ignores a sender key for another chat in a direct chat, and later messages arrive', async () => {
    const line = await stage.openLinked();
    for (const groupId of OTHER_CHATS) await stage.phone(contact).send(ownNumber, { raw: encodeSenderKey(groupId) });
    await stage.phone(contact).send(ownNumber, { text: 'after them' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'after them'));
    expect(senderKeys()).toEqual([]);
  });

  it('a session ignores a sender key for another chat in a group, and stores the key of the group', async () => {
    const line = await stage.openLinked();
    const { id } = stage.phone(contact).createGroup('Ours', [ownNumber]);
    for (const groupId of OTHER_CHATS) await stage.phone(contact).send(id, { raw: encodeSenderKey(groupId) });
    await stage.phone(contact).send(id, { text: 'after them' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'after them'));
    expect(senderKeys()).toEqual([expect.stringContaining(`|${id}::`)]);
  });
});

describe('buffered messages with a sender key', () => {
  const storeBuffered = (id: string, groupId: string) => {
    const stanza = { id, from: GROUP, participant: '222@lid', t: '1700000000', type: 'text' };
    const plaintext = Buffer.from(writeRandomPadMax16(encodeSenderKey(groupId))).toString('base64');
    const part = { stanza, enc: { v: '2', type: 'pkmsg' }, index: 0, of: 1, plaintext };
    stage.keys.rows.set(`inbound|${id}`, Buffer.from(JSON.stringify(part)));
  };

  it('a message that an earlier process buffered adds only the sender key of its chat and does not block the session', async () => {
    storeBuffered('A1', 'sender-key');
    storeBuffered('A2', '120363025246125499@g.us');
    storeBuffered('A3', GROUP);
    const line = await stage.openLinked();
    await stage.phone(contact).send(ownNumber, { text: 'after them' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'after them'));
    expect(senderKeys()).toEqual([`sender-key|${GROUP}::222_1::0`]);
  });
});
