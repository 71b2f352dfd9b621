import { randomBytes } from 'node:crypto';
import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { encryptAddOn, encryptEdit, encryptReaction } from '../../../packages/sandbox/src/phone/encrypted-add-ons.ts';
import type { Message } from '../../../src/events/events.ts';
import { fromAddOn } from '../../../src/whatsapp/content/add-on-event.ts';
import { encryptedAddOnIn } from '../../../src/whatsapp/content/encrypted-add-on.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';
import { type TargetMessages, targetKey } from '../../../src/whatsapp/content/target-messages.ts';
import { me } from '../fakes.ts';

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
const ana = { jid: '4915112345678@s.whatsapp.net', lid: '222@lid' };
const bob = { jid: '4915100000001@s.whatsapp.net', lid: '333@lid' };
const group = '120363025246125486@g.us';
const now = 1_700_000_999_000;
const lidPairs = new Map([ana, bob].flatMap(({ jid, lid }) => [[jid, lid] as const, [lid, jid] as const]));

const content: proto.IMessage = { conversation: 'At nine', messageContextInfo: { messageSecret: randomBytes(32) } };
const stored = (key: Partial<Message['key']> = {}, message = toJson(content)): Message => ({
  key: { remoteJid: group, fromMe: false, id: 'TEXT', participant: ana.jid, participantAlt: ana.lid, ...key },
  message,
  messageType: 'conversation',
  messageTimestamp: 1_700_000_000,
  source: 'android',
});
const known = (message = stored()): TargetMessages => new Map([[targetKey(message.key), message]]);

const ownKey = { remoteJid: group, fromMe: true, id: 'TEXT' };
const byAna = { author: ana.lid, sender: ana.lid };
const editTo = (editedMessage: proto.IMessage | undefined): proto.IMessage => ({
  protocolMessage: {
    key: ownKey,
    type: MESSAGE_EDIT,
    editedMessage: editedMessage ?? null,
    timestampMs: 1_700_000_100_500,
  },
});
const edited = (plain = editTo({ extendedTextMessage: { text: 'At ten' } }), people = byAna) =>
  encryptEdit({ key: ownKey, content }, people, plain);

const anas: WAMessage['key'] = { remoteJid: group, fromMe: false, id: 'CHANGE', participant: ana.lid };
function map(message: proto.IMessage, targets = known(), key = anas) {
  const received = { key, message, messageTimestamp: 1_700_000_200, pushName: 'Ana' };
  const addOn = encryptedAddOnIn(received);
  if (!addOn) throw new Error('no add-on');
  return fromAddOn(received, addOn, { me, lidPairs, targets, now });
}
const undecryptable = (reason: string) => ({
  event: {
    type: 'messages.undecryptable',
    key: { remoteJid: group, fromMe: false, id: 'CHANGE', participant: ana.jid, participantAlt: ana.lid },
    pushName: 'Ana',
    messageTimestamp: 1_700_000_200,
    reason,
  },
});

describe('an encrypted edit', () => {
  it('fromAddOn maps it to the event of a plain edit', () => {
    expect(map(edited())).toEqual({
      event: {
        type: 'messages.edited',
        key: { remoteJid: group, fromMe: false, id: 'TEXT', participant: ana.jid, participantAlt: ana.lid },
        message: { extendedTextMessage: { text: 'At ten' } },
        text: 'At ten',
        at: 1_700_000_100_000,
      },
    });
  });

  it.each([
    [ana.jid, ana.jid],
    [ana.lid, ana.jid],
    [ana.jid, ana.lid],
  ])('fromAddOn decrypts it in every address form of its client: %s, %s', (author, sender) => {
    expect(map(edited(undefined, { author, sender }))).toMatchObject({ event: { text: 'At ten' } });
  });

  it('fromAddOn maps the edit of an own message by another device of the account', () => {
    const own = stored({ remoteJid: ana.jid, remoteJidAlt: ana.lid, fromMe: true, participant: undefined });
    const people = { author: me.lid ?? '', sender: me.lid ?? '' };
    const target = { key: { ...ownKey, remoteJid: ana.lid }, content };
    const message = encryptEdit(target, people, editTo({ conversation: 'At ten' }));
    expect(map(message, known(own), { remoteJid: ana.lid, fromMe: true, id: 'CHANGE' })).toMatchObject({
      event: { type: 'messages.edited', key: { remoteJid: ana.jid, fromMe: true, id: 'TEXT' }, text: 'At ten' },
    });
  });

  it('fromAddOn finds the secret inside of a wrapper', () => {
    const wrapped = stored({}, toJson({ ephemeralMessage: { message: content } }));
    expect(map(edited(), known(wrapped))).toMatchObject({ event: { text: 'At ten' } });
  });

  it('fromAddOn edits the message that the envelope names, not the one that the plaintext names', () => {
    const elsewhere = { remoteJid: bob.jid, fromMe: false, id: 'OTHER', participant: bob.lid };
    const plain = { protocolMessage: { ...editTo({ conversation: 'x' }).protocolMessage, key: elsewhere } };
    const { event } = { event: undefined, ...map(edited(plain)) };
    expect(event).toMatchObject({ type: 'messages.edited', key: { remoteJid: group, id: 'TEXT' } });
    expect(event).not.toHaveProperty('authority');
  });

  it('fromAddOn names its sender as the author, so that the edit of a message of others is refused', () => {
    const byBob = { author: ana.lid, sender: bob.lid };
    const key = { ...anas, participant: bob.lid };
    expect(map(edited(undefined, byBob), known(), key)).toMatchObject({
      event: { type: 'messages.edited', key: { participant: bob.jid } },
    });
    const message = edited(undefined, byBob);
    Object.assign(message.secretEncryptedMessage?.targetMessageKey ?? {}, { fromMe: false, participant: ana.lid });
    expect(map(message, known(), key)).toMatchObject({ event: { authority: { namesOtherAuthor: true } } });
  });

  it.each<[string, TargetMessages]>([
    ['is not stored', new Map()],
    ['is stored in another chat', known(stored({ remoteJid: bob.jid }))],
    ['has no secret', known(stored({}, { conversation: 'At nine' }))],
    ['was deleted', known(stored({}, {}))],
  ])('fromAddOn reports an edit as undecryptable when its message %s', (_, targets) => {
    expect(map(edited(), targets)).toEqual(undecryptable('an edit of a message that is not known here'));
  });

  it.each<[string, proto.IMessage]>([
    [
      'of another message',
      encryptEdit(
        { key: ownKey, content: { messageContextInfo: { messageSecret: randomBytes(32) } } },
        byAna,
        editTo({}),
      ),
    ],
    ['by another person', edited(undefined, { author: ana.lid, sender: bob.lid })],
    ['with a deletion inside', edited({ protocolMessage: { key: ownKey, type: REVOKE } })],
    ['with a message inside', edited({ conversation: 'At ten' })],
    ['with an encrypted edit inside', edited(edited())],
    ['without content', edited(editTo(undefined))],
    ['with an empty plaintext', edited({})],
    ['without fields', { secretEncryptedMessage: { targetMessageKey: ownKey, secretEncType: 2 } }],
  ])('fromAddOn reports an edit %s as undecryptable', (_, message) => {
    expect(map(message)).toEqual(undecryptable('an edit of a message to which it does not belong'));
  });

  it('fromAddOn reports an edit whose plaintext is no protobuf, and one that names no message', () => {
    const noise = encryptAddOn({ key: ownKey, content }, byAna, 'Message Edit', Buffer.from('ffffff', 'hex'));
    expect(map({ secretEncryptedMessage: { ...noise, secretEncType: 2 } })).toEqual(
      undecryptable('an edit of a message to which it does not belong'),
    );
    const untargeted = { secretEncryptedMessage: { ...edited().secretEncryptedMessage, targetMessageKey: null } };
    expect(map(untargeted)).toEqual(undecryptable('an edit of a message that is not known here'));
  });
});

describe('an encrypted reaction', () => {
  const react = (key: proto.IMessageKey, people: { author: string; sender: string }, emoji = '👍') =>
    encryptReaction({ key, content }, people, { emoji, nowMs: 1_700_000_100_500 });
  const toAna = { remoteJid: group, fromMe: false, id: 'TEXT', participant: ana.lid };
  const bobs = { ...anas, participant: bob.lid };

  it('fromAddOn maps it to the event of a plain reaction', () => {
    expect(map(react(toAna, { author: ana.lid, sender: bob.lid }), known(), bobs)).toMatchObject({
      event: {
        type: 'messages.upsert',
        message: {
          key: { remoteJid: group, id: 'CHANGE', participant: bob.jid },
          messageType: 'reactionMessage',
          message: { reactionMessage: { key: toAna, text: '👍', senderTimestampMs: '1700000100500' } },
        },
      },
    });
  });

  it('fromAddOn names an own message from the viewpoint of this account, and passes on a removal', () => {
    const own = known(stored({ fromMe: true, participant: me.jid, participantAlt: me.lid ?? undefined }));
    const toMe = { ...toAna, participant: me.lid };
    const message = react(toMe, { author: me.lid ?? '', sender: bob.lid }, '');
    expect(map(message, own, bobs)).toMatchObject({
      event: { message: { message: { reactionMessage: { key: { fromMe: true, id: 'TEXT' }, text: '' } } } },
    });
  });

  it('fromAddOn reports a reaction that cannot be decrypted', () => {
    const message = react(toAna, { author: ana.lid, sender: ana.lid });
    expect(map(message, new Map())).toEqual(undecryptable('a reaction to a message that is not known here'));
    expect(map(react(toAna, { author: bob.lid, sender: bob.lid }))).toEqual(
      undecryptable('a reaction to a message to which it does not belong'),
    );
  });
});

it('fromAddOn reports comments and edits of events as unprocessable, and skips answers to events', () => {
  const sealed = { targetMessageKey: ownKey, encPayload: Buffer.alloc(20), encIv: Buffer.alloc(12) };
  expect(map({ encCommentMessage: sealed })).toEqual(undecryptable('unprocessable'));
  expect(map({ secretEncryptedMessage: { ...sealed, secretEncType: 1 } })).toEqual(undecryptable('unprocessable'));
  expect(map({ encEventResponseMessage: sealed })).toEqual({ skipped: 'an answer to an event' });
});
