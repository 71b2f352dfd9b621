import { proto, type WAMessage, type WAMessageUpdate } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { KnownJids } from '../../../src/whatsapp/address/message-key.ts';
import { editOrDeletionIn, fromEditOrDeletion, fromPostEditOrDeletion } from '../../../src/whatsapp/content/edit.ts';
import { me } from '../../support/session-fakes.ts';

const { MESSAGE_EDIT, REVOKE, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;
const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const otherPn = '33600000001@s.whatsapp.net';
const group = '120363025246125486@g.us';
const channel = '120363025246125487@newsletter';
const now = 1_700_000_999_000;
const knownJids: KnownJids = {
  me,
  lidPairs: new Map([
    [lid, pn],
    [pn, lid],
  ]),
};

const DIRECT_KEY: WAMessage['key'] = { remoteJid: pn, fromMe: false, id: 'CHANGE', participant: '' };
const GROUP_KEY: WAMessage['key'] = { remoteJid: group, fromMe: false, id: 'CHANGE', participant: lid };
const OWN_KEY: WAMessage['key'] = { remoteJid: pn, fromMe: true, id: 'CHANGE' };

const createChange = (
  protocolMessage: proto.Message.IProtocolMessage,
  key = DIRECT_KEY,
  messageTimestamp = 1_700_000_000,
) => ({
  key,
  messageTimestamp,
  message: { protocolMessage },
});
const mapChange = (message: WAMessage, mayModerate = false, jids = knownJids) =>
  fromEditOrDeletion(message, jids, { now, mayModerate });
const mapDeletion = (target: proto.IMessageKey, key = DIRECT_KEY, jids = knownJids) =>
  mapChange(createChange({ type: REVOKE, key: { id: 'A1', ...target } }, key), false, jids);
const mapEdit = (editedMessage: proto.IMessage, timestampMs?: number) =>
  mapChange(
    createChange({
      type: MESSAGE_EDIT,
      key: { fromMe: true, id: 'A1' },
      editedMessage,
      ...(timestampMs ? { timestampMs } : {}),
    }),
  );

describe('edits', () => {
  it.each<[string, proto.IMessage, string | undefined]>([
    ['a text', { conversation: 'new' }, 'new'],
    ['a text with context', { extendedTextMessage: { text: 'new' } }, 'new'],
    ['a caption', { imageMessage: { caption: 'new' } }, 'new'],
    ['a message without text', { stickerMessage: {} }, undefined],
  ])('fromEditOrDeletion() maps an edit of %s to the key of the message, its content and its text', (_, content, text) => {
    expect(mapEdit(content, 1_700_000_100_500)).toEqual({
      event: {
        type: 'messages.edited',
        key: { remoteJid: pn, remoteJidAlt: lid, fromMe: false, id: 'A1' },
        message: content,
        ...(text === undefined ? {} : { text }),
        at: 1_700_000_100_000,
      },
    });
  });

  it('fromEditOrDeletion() uses the time of the message, or else the current time, for an edit without a time', () => {
    expect(mapEdit({ conversation: 'new' })).toMatchObject({ event: { at: 1_700_000_000_000 } });
    const target = { type: MESSAGE_EDIT, key: { id: 'A1' }, editedMessage: { conversation: 'new' } };
    expect(mapChange(createChange(target, DIRECT_KEY, 0))).toMatchObject({ event: { at: now } });
  });

  it('fromEditOrDeletion() gives admins no permission to edit messages of others', () => {
    const target = { fromMe: false, participant: otherPn, id: 'A1' };
    const message = createChange(
      { type: MESSAGE_EDIT, key: target, editedMessage: { conversation: 'new' } },
      GROUP_KEY,
    );
    expect(mapChange(message, true)).toMatchObject({ event: { authority: { namesOtherAuthor: true } } });
    expect(mapChange(message, true)).not.toHaveProperty('event.authority.mayModerate');
  });

  it('editOrDeletionIn() finds an edit in a wrapper, and nothing in other messages', () => {
    const protocolMessage = { type: MESSAGE_EDIT, key: { id: 'A1' } };
    expect(editOrDeletionIn({ message: { editedMessage: { message: { protocolMessage } } } })).toEqual(protocolMessage);
    expect(editOrDeletionIn({ message: { protocolMessage: { type: EPHEMERAL_SETTING } } })).toBeUndefined();
    expect(editOrDeletionIn({ message: { conversation: 'hi' } })).toBeUndefined();
  });

  it.each<[string, proto.Message.IProtocolMessage]>([
    ['without content', { type: MESSAGE_EDIT, key: { id: 'A1' } }],
    ['without a message key', { type: MESSAGE_EDIT, editedMessage: { conversation: 'new' } }],
  ])('fromEditOrDeletion() skips an edit %s', (_, protocolMessage) => {
    expect(mapChange(createChange(protocolMessage))).toHaveProperty('skipped');
  });
});

describe('deletions', () => {
  it('fromEditOrDeletion() names the author of a deletion with the phone number first', () => {
    expect(mapDeletion({ fromMe: true }, { ...GROUP_KEY, participantAlt: pn })).toEqual({
      event: {
        type: 'messages.delete',
        key: { remoteJid: group, fromMe: false, id: 'A1', participant: pn, participantAlt: lid },
        at: 1_700_000_000_000,
      },
    });
  });

  it('fromEditOrDeletion() marks a deletion by an admin with mayModerate', () => {
    const target = { fromMe: false, participant: otherPn, id: 'A1' };
    expect(mapChange(createChange({ type: REVOKE, key: target }, GROUP_KEY), true)).toMatchObject({
      event: { authority: { mayModerate: true, namesOtherAuthor: true, namedAuthor: otherPn } },
    });
  });

  it.each<[string, proto.IMessageKey, WAMessage['key'], boolean]>([
    ['with fromMe true', { fromMe: true }, DIRECT_KEY, false],
    ['with fromMe false', { fromMe: false }, DIRECT_KEY, true],
    ['with fromMe true and the address of its sender', { fromMe: true, participant: lid }, GROUP_KEY, false],
    ['with the other address of its sender', { participant: '4915112345678:7@s.whatsapp.net' }, GROUP_KEY, false],
    ['with fromMe true and the address of another member', { fromMe: true, participant: otherPn }, GROUP_KEY, true],
    ['with the address of another member', { participant: otherPn }, GROUP_KEY, true],
    ['by another own device with fromMe true', { fromMe: true }, OWN_KEY, false],
    ['by another own device with fromMe false', { fromMe: false }, OWN_KEY, true],
  ])('fromEditOrDeletion() sets namesOtherAuthor for a deletion "%s" only if it names another author: %#', (_, target, key, isOther) => {
    const { event } = { event: undefined, ...mapDeletion(target, key) };
    expect(event).toBeDefined();
    if (isOther) expect(event).toMatchObject({ authority: { namesOtherAuthor: true } });
    else expect(event).not.toHaveProperty('authority');
  });

  it.each<[string, proto.IMessageKey, WAMessage['key']]>([
    ['the number of this account', { fromMe: true, remoteJid: me.jid }, DIRECT_KEY],
    ['the LID of this account with a device', { fromMe: true, remoteJid: '111:3@lid' }, DIRECT_KEY],
    ['the LID of the other side', { fromMe: true, remoteJid: lid }, OWN_KEY],
    ['the group', { fromMe: true, remoteJid: group }, GROUP_KEY],
    ['no chat', { fromMe: true }, DIRECT_KEY],
  ])('fromEditOrDeletion() accepts the chat of a deletion: %s', (_, target, key) => {
    expect(mapDeletion(target, key)).toHaveProperty('event');
  });

  it.each<[string, proto.IMessageKey, WAMessage['key']]>([
    ['a third person', { fromMe: true, remoteJid: otherPn }, DIRECT_KEY],
    ['a third person by LID', { fromMe: true, remoteJid: '333@lid' }, DIRECT_KEY],
    ['a group', { fromMe: true, remoteJid: group }, DIRECT_KEY],
    ['another group', { fromMe: true, remoteJid: '120363025246125499@g.us' }, GROUP_KEY],
    ['a person, although it was sent in a group', { fromMe: true, remoteJid: me.jid }, GROUP_KEY],
  ])('fromEditOrDeletion() skips a deletion whose chat is that of %s', (_, target, key) => {
    expect(mapDeletion(target, key)).toEqual({ skipped: 'an edit or deletion in another chat' });
  });

  it('fromEditOrDeletion() accepts a LID without a known number as the chat of a deletion', () => {
    const unpaired: KnownJids = { me: { ...me, lid: null }, lidPairs: new Map() };
    expect(mapDeletion({ fromMe: true, remoteJid: '333@lid' }, DIRECT_KEY, unpaired)).toHaveProperty('event');
  });
});

describe('edits and deletions of channel posts', () => {
  const messageStubType = proto.WebMessageInfo.StubType.REVOKE;
  const mapPost = (update: WAMessageUpdate['update'], remoteJid = channel) =>
    fromPostEditOrDeletion({ key: { remoteJid, fromMe: false, id: 'P' }, update }, knownJids, now);

  it('fromPostEditOrDeletion() marks edits and deletions of channel posts with mayModerate', () => {
    const key = { remoteJid: channel, fromMe: false, id: 'P' };
    const authority = { mayModerate: true };
    expect(mapPost({ messageStubType })).toEqual({ type: 'messages.delete', key, at: now, authority });
    const message = { conversation: 'new' };
    expect(mapPost({ message: { editedMessage: { message } }, messageTimestamp: 5 })).toEqual({
      ...{ type: 'messages.edited', key, message, text: 'new', at: 5_000, authority },
    });
  });

  it('fromPostEditOrDeletion() returns undefined outside of channels and for other updates', () => {
    expect(mapPost({ messageStubType }, pn)).toBeUndefined();
    expect(mapPost({ message: { editedMessage: { message: { conversation: 'new' } } } }, group)).toBeUndefined();
    expect(mapPost({ status: proto.WebMessageInfo.Status.READ })).toBeUndefined();
  });
});
