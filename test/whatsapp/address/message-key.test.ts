import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { toMessageKey } from '../../../src/whatsapp/address/message-key.ts';
import { fromEditOrDeletion } from '../../../src/whatsapp/content/edit.ts';
import { fromMessage } from '../../../src/whatsapp/content/message.ts';
import { readOnOtherDevices } from '../../../src/whatsapp/inbound/chat.ts';
import { markMessagesAsRead } from '../../../src/whatsapp/message/mark-read.ts';
import { fakeSession, me } from '../../support/session-fakes.ts';

const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const list = '1700000000@broadcast';
const knownJids = { me, lidPairs: new Map<string, string>() };

/** Returns Baileys' key for a message from `list`. The other address of the author is in remoteJidAlt. */
const listKey = (parts: object = {}) => ({
  ...{ remoteJid: list, remoteJidAlt: lid, fromMe: false, id: 'A1', participant: pn },
  ...parts,
});

describe('messages of a person through a broadcast list', () => {
  it.each([
    ['number', {}],
    ['LID', { remoteJidAlt: pn, participant: lid }],
    ['device', { participant: pn.replace('@', ':7@') }],
  ])('toMessageKey() puts a message from a broadcast list into the chat with its author, named by %s', (_, parts) => {
    expect(toMessageKey(listKey(parts), knownJids)).toEqual({
      ...{ remoteJid: pn, remoteJidAlt: lid, fromMe: false, id: 'A1' },
    });
  });

  it('fromMessage() keeps the address of the broadcast list in broadcastList', () => {
    const received: WAMessage = { key: listKey(), messageTimestamp: 1, message: { conversation: 'to all' } };
    expect(fromMessage(received, knownJids)).toMatchObject({
      event: { message: { key: { remoteJid: pn }, broadcastList: list, message: { conversation: 'to all' } } },
    });
  });

  it.each([
    list,
    pn,
  ])('fromEditOrDeletion() accepts a deletion of a broadcast-list message whose author names %s as the chat', (remoteJid) => {
    const key = { remoteJid, fromMe: true, id: 'A1' };
    const message = { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } };
    const received: WAMessage = { key: listKey({ id: 'A2' }), messageTimestamp: 1, message };
    expect(fromEditOrDeletion(received, knownJids, { now: 0, mayModerate: false })).toMatchObject({
      event: { type: 'messages.delete', key: { remoteJid: pn, fromMe: false, id: 'A1' } },
    });
  });

  it('readOnOtherDevices() reports a broadcast-list message as read in the chat with its author', () => {
    const update = { status: proto.WebMessageInfo.Status.READ, messageTimestamp: 9 };
    expect(readOnOtherDevices({ 'messages.update': [{ key: listKey(), update }] }, knownJids)).toEqual([
      { jid: pn, lid, unread: 0, readTo: 'A1', readAt: 9 },
    ]);
  });
});

describe('messages to addresses that end in @broadcast', () => {
  it.each([
    ['an own status with the number as author', { remoteJid: 'status@broadcast', participant: me.jid }, true],
    ['an own status with the LID as author', { remoteJid: 'status@broadcast', participant: me.lid }, true],
    ['a status of another person', { remoteJid: 'status@broadcast' }, false],
    ['an own message to a list with the LID as author', { participant: `${me.lid?.replace('@', ':3@')}` }, true],
  ])('toMessageKey() keeps an address that ends in @broadcast: %s', (_, parts, fromMe) => {
    const key = listKey({ remoteJidAlt: undefined, ...parts });
    expect(toMessageKey(key, knownJids)).toMatchObject({ remoteJid: key.remoteJid, fromMe });
  });
});

it('markMessagesAsRead() sends the receipt of a message from a broadcast list to the list', async () => {
  const readKeys: unknown[] = [];
  const session = fakeSession({ readMessages: async (keys) => void readKeys.push(...keys) });
  const key = { remoteJid: pn, fromMe: false, id: 'A1' };
  const message = { conversation: 'to all' };
  session.stored.set('A1', {
    ...{ key, message, messageType: 'conversation', messageTimestamp: 9, source: 'android', broadcastList: list },
  });
  await markMessagesAsRead(session, [key]);
  expect(readKeys).toEqual([{ ...key, remoteJid: list, participant: pn }]);
  expect(session.ingested).toEqual([{ type: 'chats.update', chats: [{ jid: pn, unread: 0, readTo: 'A1' }] }]);
});
