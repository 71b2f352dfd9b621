// Sender keys (Signal keys of a member for a group) that messages contain: a key counts only in the chat of its message.
import { proto, writeRandomPadMax16 } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { OwnSenderKey } from '../../packages/sandbox/src/world/sender-keys.ts';
import { mine, theirs, useStage } from './stage.ts';

const stage = useStage();

const encoded = (groupId: string) =>
  proto.Message.encode({
    senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: new OwnSenderKey().distribution() },
  }).finish();

const senderKeys = () => [...stage.keys.rows.keys()].filter((key) => key.startsWith('sender-key|'));

const GROUP = '120363025246125486@g.us';
/** Names of key types, for which Baileys has locks, and ids that are too long for an index of PostgreSQL. */
const OTHER_CHATS = ['sender-key', 'session', 'pre-key', 'lid-mapping', 'device-list', GROUP, 'x'.repeat(4_000)];

it('a sender key for statuses counts in a direct chat, as Baileys sends a status again', async () => {
  const line = await stage.openLinked();
  await stage.phone(theirs).send(mine, { raw: encoded('status@broadcast') });
  await stage.phone(theirs).send(mine, { text: 'after it' });
  await line.until(() => line.received().some(({ message }) => message.conversation === 'after it'));
  expect(senderKeys()).toEqual([expect.stringContaining('|status@broadcast::')]);
});

describe('a sender key for another chat than that of its message', () => {
  it('is ignored in a direct chat, and the next messages arrive', async () => {
    const line = await stage.openLinked();
    for (const groupId of OTHER_CHATS) await stage.phone(theirs).send(mine, { raw: encoded(groupId) });
    await stage.phone(theirs).send(mine, { text: 'after them' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'after them'));
    expect(senderKeys()).toEqual([]);
  });

  it('is ignored in a group, whose own keys are stored', async () => {
    const line = await stage.openLinked();
    const { id } = stage.phone(theirs).createGroup('Ours', [mine]);
    for (const groupId of OTHER_CHATS) await stage.phone(theirs).send(id, { raw: encoded(groupId) });
    await stage.phone(theirs).send(id, { text: 'after them' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'after them'));
    expect(senderKeys()).toEqual([expect.stringContaining(`|${id}::`)]);
  });
});

describe('a message with a sender key that an earlier process did not store', () => {
  const buffered = (id: string, groupId: string) => {
    const stanza = { id, from: GROUP, participant: '222@lid', t: '1700000000', type: 'text' };
    const plaintext = Buffer.from(writeRandomPadMax16(encoded(groupId))).toString('base64');
    const part = { stanza, enc: { v: '2', type: 'pkmsg' }, index: 0, of: 1, plaintext };
    stage.keys.rows.set(`inbound|${id}`, Buffer.from(JSON.stringify(part)));
  };

  it('brings the key of its chat and no other, and does not block the session', async () => {
    buffered('A1', 'sender-key');
    buffered('A2', '120363025246125499@g.us');
    buffered('A3', GROUP);
    const line = await stage.openLinked();
    await stage.phone(theirs).send(mine, { text: 'after them' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'after them'));
    expect(senderKeys()).toEqual([`sender-key|${GROUP}::222_1::0`]);
  });
});
