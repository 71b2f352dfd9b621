import { proto } from '@whiskeysockets/baileys';
import { LabelAssociationType } from '@whiskeysockets/baileys/lib/Types/LabelAssociation.js';
import { describe, expect, it } from 'vitest';
import {
  fromChat,
  fromChatUpdate,
  fromHistoryChat,
  jidsToUnarchive,
  readOnOtherDevices,
} from '../../../src/whatsapp/inbound/chat.ts';
import { fromLabel, fromLabelAssociation } from '../../../src/whatsapp/inbound/label.ts';
import { me } from '../../support/session-fakes.ts';

const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const group = '120363025246125486@g.us';
const jidsWithoutPairs = { me, lidPairs: new Map<string, string>() };
const jidsWithPairs = {
  me,
  lidPairs: new Map([
    [pn, lid],
    [lid, pn],
  ]),
};

describe('chats of the history', () => {
  it('fromChat() maps all fields and uses the phone number as the JID', () => {
    const chat = proto.Conversation.create({
      ...{ id: lid, pnJid: pn, displayName: 'Ana', name: 'ana', unreadCount: 3, conversationTimestamp: 1_700_000_000 },
      ...{ archived: true, pinned: 1_600_000_000, muteEndTime: 1_900_000_000_000, ephemeralExpiration: 86_400 },
    });
    expect(fromChat(chat, jidsWithoutPairs)).toEqual({
      ...{ jid: pn, lid, name: 'Ana', unread: 3, lastMessageAt: 1_700_000_000 },
      ...{ archived: true, pinned: true, mutedUntil: 1_900_000_000_000, ephemeral: 86_400 },
    });
  });

  it.each([
    ['the chat is muted until a time in seconds', 1_900_000_000, 1_900_000_000_000],
    ['the chat is muted without an end', -1, -1],
    ['the chat is not muted', 0, null],
  ])('fromHistoryChat() returns the end of a mute in milliseconds, -1 or null when %s', (_, muteEndTime, mutedUntil) => {
    const chat = proto.Conversation.decode(proto.Conversation.encode({ id: group, muteEndTime }).finish());
    expect(fromHistoryChat(chat, jidsWithoutPairs)).toMatchObject({ jid: group, mutedUntil });
  });

  it('fromHistoryChat() omits archived, pinned, mutedUntil and ephemeral when the phone does not send them', () => {
    expect(fromHistoryChat(proto.Conversation.create({ id: group }), jidsWithoutPairs)).toEqual({ jid: group });
    const stated = { archived: false, pinned: 0, muteEndTime: 0, ephemeralExpiration: 0 };
    expect(fromHistoryChat(proto.Conversation.create({ id: group, ...stated }), jidsWithoutPairs)).toEqual({
      ...{ jid: group, archived: false, pinned: false, mutedUntil: null, ephemeral: 0 },
    });
  });

  it('fromChat() returns undefined for a chat without an address', () =>
    expect(fromChat({}, jidsWithoutPairs)).toBeUndefined());
});

describe('changes of chats', () => {
  it.each([
    [{ archived: true }, { archived: true }],
    [{ archived: false }, { archived: false }],
    [{ pinned: 1_700_000_000 }, { pinned: true }],
    [{ pinned: null }, { pinned: false }],
    [{ muteEndTime: -1 }, { mutedUntil: -1 }],
    [{ muteEndTime: null }, { mutedUntil: null }],
    [{ unreadCount: 0 }, { unread: 0 }],
    [{ unreadCount: -1 }, { unread: -1 }],
    [{ name: 'Family' }, { name: 'Family' }],
    [{ ephemeralExpiration: null }, { ephemeral: 0 }],
    [
      { archived: false, unreadCount: 4, conversationTimestamp: 7 },
      { archived: false, lastMessageAt: 7 },
    ],
  ])('fromChatUpdate() maps %j to %j', (update, expected) => {
    expect(fromChatUpdate({ id: lid, ...update }, jidsWithPairs, new Map())).toEqual({ jid: pn, lid, ...expected });
  });

  it.each([
    ['a message arrives', { id: pn, unreadCount: 1, conversationTimestamp: 7, messages: [] }],
    ['the first sync reports the chat as read', { id: pn, unreadCount: null }],
    ['the update contains no change', { id: pn }],
    ['the update names no chat', { archived: true }],
  ])('fromChatUpdate() returns undefined when %s', (_, update) =>
    expect(fromChatUpdate(update, jidsWithPairs, new Map())).toBeUndefined());
});

describe('messages to accounts that do not keep chats archived', () => {
  const update = { id: lid, archived: false, readOnly: false, unreadCount: 1, conversationTimestamp: 7 };

  it.each([
    ['that is not archived', new Map<string, number>(), undefined],
    ['that was archived before', new Map([[pn, 6]]), { jid: pn, lid, archived: false, lastMessageAt: 7 }],
    [
      'that was archived before under its LID',
      new Map([[lid, 0]]),
      { jid: pn, lid, archived: false, lastMessageAt: 7 },
    ],
    ['that was archived after the message', new Map([[pn, 8]]), undefined],
  ])('fromChatUpdate() unarchives a chat only if it was archived before the message: a chat %s', (_, archived, expected) => {
    expect(jidsToUnarchive([update, { id: group, archived: false }], jidsWithPairs)).toEqual([pn, lid]);
    expect(fromChatUpdate(update, jidsWithPairs, archived)).toEqual(expected);
  });

  it('fromChatUpdate() keeps the other changes of a chat that is not archived', () => {
    expect(fromChatUpdate({ ...update, ephemeralExpiration: 60 }, jidsWithPairs, new Map())).toEqual({
      ...{ jid: pn, lid, ephemeral: 60, lastMessageAt: 7 },
    });
  });
});

describe('reads on other devices', () => {
  const { READ, DELIVERY_ACK } = proto.WebMessageInfo.Status;
  const update = (remoteJid: string, id: string, status: number, fromMe = false) => ({
    key: { remoteJid, id, fromMe },
    update: { status, messageTimestamp: 1_700_000_001 },
  });
  const receipt = (userJid: string, id: string) => ({
    key: { remoteJid: group, id, fromMe: true, participant: userJid },
    receipt: { userJid, readTimestamp: 1_700_000_000 },
  });

  it('readOnOtherDevices() returns each read chat with its last read message and the time', () => {
    const batch = {
      'messages.update': [update(lid, 'A1', READ), update(lid, 'A2', READ), update(pn, 'own', READ, true)],
      'message-receipt.update': [receipt('5511900000001:4@s.whatsapp.net', 'G1'), receipt(pn, 'G2')],
    };
    expect(readOnOtherDevices(batch, jidsWithPairs)).toEqual([
      { jid: pn, lid, unread: 0, readTo: 'A2', readAt: 1_700_000_001 },
      { jid: group, unread: 0, readTo: 'G1', readAt: 1_700_000_000 },
    ]);
  });

  it('readOnOtherDevices() returns no chat for updates other than reads', () => {
    expect(readOnOtherDevices({ 'messages.update': [update(pn, 'A', DELIVERY_ACK)] }, jidsWithPairs)).toEqual([]);
    const deliveryReceipt = { ...receipt(me.jid, 'G1'), receipt: { userJid: me.jid, receiptTimestamp: 1 } };
    expect(readOnOtherDevices({ 'message-receipt.update': [deliveryReceipt] }, jidsWithPairs)).toEqual([]);
    expect(readOnOtherDevices({}, jidsWithPairs)).toEqual([]);
  });
});

describe('labels', () => {
  it('fromLabel() maps all fields', () => {
    const label = { id: '7', name: 'Customers', color: 3, deleted: false };
    expect(fromLabel(label)).toEqual({ type: 'labels.edit', ...label });
    expect(fromLabel({ ...label, predefinedId: '2' })).toMatchObject({ predefinedId: '2' });
  });

  it('fromLabel() maps a deleted label that has only an id', () => {
    const deletedLabel = JSON.parse('{"id":"7","deleted":true}');
    expect(fromLabel(deletedLabel)).toEqual({ type: 'labels.edit', id: '7', name: '', color: 0, deleted: true });
  });

  it('fromLabelAssociation() maps labels of chats and messages', () => {
    const chat = { type: LabelAssociationType.Chat as const, chatId: lid, labelId: '7' };
    expect(fromLabelAssociation({ type: 'add', association: chat }, jidsWithPairs)).toEqual({
      type: 'labels.association',
      ...{ action: 'add', labelId: '7', jid: pn, lid },
    });
    const message = { type: LabelAssociationType.Message as const, chatId: group, messageId: 'A1', labelId: '7' };
    expect(fromLabelAssociation({ type: 'remove', association: message }, jidsWithoutPairs)).toEqual({
      type: 'labels.association',
      ...{ action: 'remove', labelId: '7', jid: group, messageId: 'A1' },
    });
  });
});
