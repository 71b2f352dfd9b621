import { proto, type WAMessage, type WAMessageUpdate } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { KnownJids } from '../../../src/whatsapp/address/message-key.ts';
import { editOrDeletionIn, fromEditOrDeletion, fromPostEditOrDeletion } from '../../../src/whatsapp/content/edit.ts';
import { me } from '../fakes.ts';

const { MESSAGE_EDIT, REVOKE, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;
const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const strangerPn = '33600000001@s.whatsapp.net';
const group = '120363025246125486@g.us';
const channel = '120363025246125487@newsletter';
const now = 1_700_000_999_000;
const names: KnownJids = {
  me,
  lidPairs: new Map([
    [lid, pn],
    [pn, lid],
  ]),
};

const direct: WAMessage['key'] = { remoteJid: pn, fromMe: false, id: 'CHANGE', participant: '' };
const inGroup: WAMessage['key'] = { remoteJid: group, fromMe: false, id: 'CHANGE', participant: lid };
const own: WAMessage['key'] = { remoteJid: pn, fromMe: true, id: 'CHANGE' };

const change = (protocolMessage: proto.Message.IProtocolMessage, key = direct, messageTimestamp = 1_700_000_000) => ({
  key,
  messageTimestamp,
  message: { protocolMessage },
});
const map = (message: WAMessage, mayModerate = false, known = names) =>
  fromEditOrDeletion(message, known, { now, mayModerate });
const revoke = (target: proto.IMessageKey, key = direct, known = names) =>
  map(change({ type: REVOKE, key: { id: 'A1', ...target } }, key), false, known);
const edit = (editedMessage: proto.IMessage, timestampMs?: number) =>
  map(
    change({
      type: MESSAGE_EDIT,
      key: { fromMe: true, id: 'A1' },
      editedMessage,
      ...(timestampMs ? { timestampMs } : {}),
    }),
  );

describe('an edit', () => {
  it.each<[string, proto.IMessage, string | undefined]>([
    ['a text', { conversation: 'new' }, 'new'],
    ['a text with context', { extendedTextMessage: { text: 'new' } }, 'new'],
    ['a caption', { imageMessage: { caption: 'new' } }, 'new'],
    ['something without text', { stickerMessage: {} }, undefined],
  ])('fromEditOrDeletion maps an edit of %s to the message, its content and its text', (_, content, text) => {
    expect(edit(content, 1_700_000_100_500)).toEqual({
      event: {
        type: 'messages.edited',
        key: { remoteJid: pn, remoteJidAlt: lid, fromMe: false, id: 'A1' },
        message: content,
        ...(text === undefined ? {} : { text }),
        at: 1_700_000_100_000,
      },
    });
  });

  it('fromEditOrDeletion takes the time of the message, or else the current time, for an edit without a time', () => {
    expect(edit({ conversation: 'new' })).toMatchObject({ event: { at: 1_700_000_000_000 } });
    const target = { type: MESSAGE_EDIT, key: { id: 'A1' }, editedMessage: { conversation: 'new' } };
    expect(map(change(target, direct, 0))).toMatchObject({ event: { at: now } });
  });

  it('fromEditOrDeletion gives admins no permission to edit', () => {
    const target = { fromMe: false, participant: strangerPn, id: 'A1' };
    const message = change({ type: MESSAGE_EDIT, key: target, editedMessage: { conversation: 'new' } }, inGroup);
    expect(map(message, true)).toMatchObject({ event: { authority: { namesOtherAuthor: true } } });
    expect(map(message, true)).not.toHaveProperty('event.authority.mayModerate');
  });

  it('editOrDeletionIn finds an edit in a wrapper and nothing in other messages', () => {
    const protocolMessage = { type: MESSAGE_EDIT, key: { id: 'A1' } };
    expect(editOrDeletionIn({ message: { editedMessage: { message: { protocolMessage } } } })).toEqual(protocolMessage);
    expect(editOrDeletionIn({ message: { protocolMessage: { type: EPHEMERAL_SETTING } } })).toBeUndefined();
    expect(editOrDeletionIn({ message: { conversation: 'hi' } })).toBeUndefined();
  });

  it.each<[string, proto.Message.IProtocolMessage]>([
    ['without content', { type: MESSAGE_EDIT, key: { id: 'A1' } }],
    ['of nothing', { type: MESSAGE_EDIT, editedMessage: { conversation: 'new' } }],
  ])('fromEditOrDeletion skips an edit %s', (_, protocolMessage) => {
    expect(map(change(protocolMessage))).toHaveProperty('skipped');
  });
});

describe('a deletion', () => {
  it('fromEditOrDeletion maps a deletion with the phone number first and its author', () => {
    expect(revoke({ fromMe: true }, { ...inGroup, participantAlt: pn })).toEqual({
      event: {
        type: 'messages.delete',
        key: { remoteJid: group, fromMe: false, id: 'A1', participant: pn, participantAlt: lid },
        at: 1_700_000_000_000,
      },
    });
  });

  it('fromEditOrDeletion allows admins to delete messages of others', () => {
    const target = { fromMe: false, participant: strangerPn, id: 'A1' };
    expect(map(change({ type: REVOKE, key: target }, inGroup), true)).toMatchObject({
      event: { authority: { mayModerate: true, namesOtherAuthor: true, namedAuthor: strangerPn } },
    });
  });

  it.each<[string, proto.IMessageKey, WAMessage['key'], boolean]>([
    ['from me', { fromMe: true }, direct, false],
    ['from the other side', { fromMe: false }, direct, true],
    ['from me, with my address', { fromMe: true, participant: lid }, inGroup, false],
    ['with my other address and device', { participant: '4915112345678:7@s.whatsapp.net' }, inGroup, false],
    ['from me, with the address of another member', { fromMe: true, participant: strangerPn }, inGroup, true],
    ['with the address of another member', { participant: strangerPn }, inGroup, true],
    ['from the account itself, by another device', { fromMe: true }, own, false],
    ['from the other side, by another device', { fromMe: false }, own, true],
  ])(`fromEditOrDeletion marks a deletion that says "%s" as one of another person's message: %#`, (_, target, key, isOther) => {
    const { event } = { event: undefined, ...revoke(target, key) };
    expect(event).toBeDefined();
    if (isOther) expect(event).toMatchObject({ authority: { namesOtherAuthor: true } });
    else expect(event).not.toHaveProperty('authority');
  });

  it.each<[string, proto.IMessageKey, WAMessage['key']]>([
    ['of this account, by number', { fromMe: true, remoteJid: me.jid }, direct],
    ['of this account, by LID and device', { fromMe: true, remoteJid: '111:3@lid' }, direct],
    ['of the other side, by LID', { fromMe: true, remoteJid: lid }, own],
    ['of the group', { fromMe: true, remoteJid: group }, inGroup],
    ['not given', { fromMe: true }, direct],
  ])('fromEditOrDeletion accepts a deletion whose chat is that %s', (_, target, key) => {
    expect(revoke(target, key)).toHaveProperty('event');
  });

  it.each<[string, proto.IMessageKey, WAMessage['key']]>([
    ['a third person', { fromMe: true, remoteJid: strangerPn }, direct],
    ['a third person by LID', { fromMe: true, remoteJid: '333@lid' }, direct],
    ['a group', { fromMe: true, remoteJid: group }, direct],
    ['another group', { fromMe: true, remoteJid: '120363025246125499@g.us' }, inGroup],
    ['a person, in a group', { fromMe: true, remoteJid: me.jid }, inGroup],
  ])('fromEditOrDeletion skips a deletion whose chat is that of %s', (_, target, key) => {
    expect(revoke(target, key)).toEqual({ skipped: 'an edit or deletion in another chat' });
  });

  it('fromEditOrDeletion accepts the chat of a deletion by a LID without a known number', () => {
    const unpaired: KnownJids = { me: { ...me, lid: null }, lidPairs: new Map() };
    expect(revoke({ fromMe: true, remoteJid: '333@lid' }, direct, unpaired)).toHaveProperty('event');
  });
});

describe('a change of a post', () => {
  const messageStubType = proto.WebMessageInfo.StubType.REVOKE;
  const post = (update: WAMessageUpdate['update'], remoteJid = channel) =>
    fromPostEditOrDeletion({ key: { remoteJid, fromMe: false, id: 'P' }, update }, names, now);

  it('fromPostEditOrDeletion accepts changes of posts by every author', () => {
    const key = { remoteJid: channel, fromMe: false, id: 'P' };
    const authority = { mayModerate: true };
    expect(post({ messageStubType })).toEqual({ type: 'messages.delete', key, at: now, authority });
    const message = { conversation: 'new' };
    expect(post({ message: { editedMessage: { message } }, messageTimestamp: 5 })).toEqual({
      ...{ type: 'messages.edited', key, message, text: 'new', at: 5_000, authority },
    });
  });

  it('fromPostEditOrDeletion maps changes of channels only', () => {
    expect(post({ messageStubType }, pn)).toBeUndefined();
    expect(post({ message: { editedMessage: { message: { conversation: 'new' } } } }, group)).toBeUndefined();
    expect(post({ status: proto.WebMessageInfo.Status.READ })).toBeUndefined();
  });
});
