import { randomBytes } from 'node:crypto';
import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { encryptAddOn, encryptEdit, encryptReaction } from '../../../packages/sandbox/src/phone/encrypted-add-ons.ts';
import type { Message } from '../../../src/events/events.ts';
import { fromAddOn } from '../../../src/whatsapp/content/add-on-event.ts';
import { encryptedAddOnIn } from '../../../src/whatsapp/content/encrypted-add-on.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';
import { type TargetMessages, targetKey } from '../../../src/whatsapp/content/target-messages.ts';
import { me } from '../../support/session-fakes.ts';

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
const ana = { jid: '4915112345678@s.whatsapp.net', lid: '222@lid' };
const bob = { jid: '4915100000001@s.whatsapp.net', lid: '333@lid' };
const group = '120363025246125486@g.us';
const now = 1_700_000_999_000;
const lidPairs = new Map([ana, bob].flatMap(({ jid, lid }) => [[jid, lid] as const, [lid, jid] as const]));

const content: proto.IMessage = { conversation: 'At nine', messageContextInfo: { messageSecret: randomBytes(32) } };
const createStored = (key: Partial<Message['key']> = {}, message = toJson(content)): Message => ({
  key: { remoteJid: group, fromMe: false, id: 'TEXT', participant: ana.jid, participantAlt: ana.lid, ...key },
  message,
  messageType: 'conversation',
  messageTimestamp: 1_700_000_000,
  source: 'android',
});
const toTargets = (message = createStored()): TargetMessages => new Map([[targetKey(message.key), message]]);

const ownKey = { remoteJid: group, fromMe: true, id: 'TEXT' };
const BY_ANA = { author: ana.lid, sender: ana.lid };
const createPlainEdit = (editedMessage: proto.IMessage | undefined): proto.IMessage => ({
  protocolMessage: {
    key: ownKey,
    type: MESSAGE_EDIT,
    editedMessage: editedMessage ?? null,
    timestampMs: 1_700_000_100_500,
  },
});
const createEdit = (plain = createPlainEdit({ extendedTextMessage: { text: 'At ten' } }), people = BY_ANA) =>
  encryptEdit({ key: ownKey, content }, people, plain);

const ANA_KEY: WAMessage['key'] = { remoteJid: group, fromMe: false, id: 'CHANGE', participant: ana.lid };
function mapAddOn(message: proto.IMessage, targets = toTargets(), key = ANA_KEY) {
  const received = { key, message, messageTimestamp: 1_700_000_200, pushName: 'Ana' };
  const addOn = encryptedAddOnIn(received);
  if (!addOn) throw new Error('no add-on');
  return fromAddOn(received, addOn, { me, lidPairs, targets, now });
}
const undecryptableEvent = (reason: string) => ({
  event: {
    type: 'messages.undecryptable',
    key: { remoteJid: group, fromMe: false, id: 'CHANGE', participant: ana.jid, participantAlt: ana.lid },
    pushName: 'Ana',
    messageTimestamp: 1_700_000_200,
    reason,
  },
});

describe('encrypted edits', () => {
  it('fromAddOn() maps an encrypted edit to the event of a plain edit', () => {
    expect(mapAddOn(createEdit())).toEqual({
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
  ])('fromAddOn() decrypts an edit in every address form of its client: %s, %s', (author, sender) => {
    expect(mapAddOn(createEdit(undefined, { author, sender }))).toMatchObject({ event: { text: 'At ten' } });
  });

  it('fromAddOn() maps the edit of an own message by another device of the account', () => {
    const ownMessage = createStored({
      remoteJid: ana.jid,
      remoteJidAlt: ana.lid,
      fromMe: true,
      participant: undefined,
    });
    const people = { author: me.lid ?? '', sender: me.lid ?? '' };
    const target = { key: { ...ownKey, remoteJid: ana.lid }, content };
    const message = encryptEdit(target, people, createPlainEdit({ conversation: 'At ten' }));
    expect(mapAddOn(message, toTargets(ownMessage), { remoteJid: ana.lid, fromMe: true, id: 'CHANGE' })).toMatchObject({
      event: { type: 'messages.edited', key: { remoteJid: ana.jid, fromMe: true, id: 'TEXT' }, text: 'At ten' },
    });
  });

  it('fromAddOn() finds the secret of the edited message in a wrapper', () => {
    const wrapped = createStored({}, toJson({ ephemeralMessage: { message: content } }));
    expect(mapAddOn(createEdit(), toTargets(wrapped))).toMatchObject({ event: { text: 'At ten' } });
  });

  it('fromAddOn() edits the message that the envelope names, not the message that the plaintext names', () => {
    const otherTarget = { remoteJid: bob.jid, fromMe: false, id: 'OTHER', participant: bob.lid };
    const plain = { protocolMessage: { ...createPlainEdit({ conversation: 'x' }).protocolMessage, key: otherTarget } };
    const { event } = { event: undefined, ...mapAddOn(createEdit(plain)) };
    expect(event).toMatchObject({ type: 'messages.edited', key: { remoteJid: group, id: 'TEXT' } });
    expect(event).not.toHaveProperty('authority');
  });

  it('fromAddOn() names the sender of an edit as the author, and marks an edit that names another author', () => {
    const byBob = { author: ana.lid, sender: bob.lid };
    const key = { ...ANA_KEY, participant: bob.lid };
    expect(mapAddOn(createEdit(undefined, byBob), toTargets(), key)).toMatchObject({
      event: { type: 'messages.edited', key: { participant: bob.jid } },
    });
    const message = createEdit(undefined, byBob);
    Object.assign(message.secretEncryptedMessage?.targetMessageKey ?? {}, { fromMe: false, participant: ana.lid });
    expect(mapAddOn(message, toTargets(), key)).toMatchObject({ event: { authority: { namesOtherAuthor: true } } });
  });

  it.each<[string, TargetMessages]>([
    ['is not stored', new Map()],
    ['is stored in another chat', toTargets(createStored({ remoteJid: bob.jid }))],
    ['has no secret', toTargets(createStored({}, { conversation: 'At nine' }))],
    ['was deleted', toTargets(createStored({}, {}))],
  ])('fromAddOn() reports an edit as undecryptable when its message %s', (_, targets) => {
    expect(mapAddOn(createEdit(), targets)).toEqual(undecryptableEvent('an edit of a message that is not known here'));
  });

  it.each<[string, proto.IMessage]>([
    [
      'of another message',
      encryptEdit(
        { key: ownKey, content: { messageContextInfo: { messageSecret: randomBytes(32) } } },
        BY_ANA,
        createPlainEdit({}),
      ),
    ],
    ['by another person', createEdit(undefined, { author: ana.lid, sender: bob.lid })],
    ['with a deletion inside', createEdit({ protocolMessage: { key: ownKey, type: REVOKE } })],
    ['with a message inside', createEdit({ conversation: 'At ten' })],
    ['with an encrypted edit inside', createEdit(createEdit())],
    ['without content', createEdit(createPlainEdit(undefined))],
    ['with an empty plaintext', createEdit({})],
    ['without fields', { secretEncryptedMessage: { targetMessageKey: ownKey, secretEncType: 2 } }],
  ])('fromAddOn() reports an edit %s as undecryptable', (_, message) => {
    expect(mapAddOn(message)).toEqual(undecryptableEvent('an edit of a message to which it does not belong'));
  });

  it('fromAddOn() reports an edit with a malformed plaintext or without a target as undecryptable', () => {
    const noise = encryptAddOn({ key: ownKey, content }, BY_ANA, 'Message Edit', Buffer.from('ffffff', 'hex'));
    expect(mapAddOn({ secretEncryptedMessage: { ...noise, secretEncType: 2 } })).toEqual(
      undecryptableEvent('an edit of a message to which it does not belong'),
    );
    const editWithoutTarget = {
      secretEncryptedMessage: { ...createEdit().secretEncryptedMessage, targetMessageKey: null },
    };
    expect(mapAddOn(editWithoutTarget)).toEqual(undecryptableEvent('an edit of a message that is not known here'));
  });
});

describe('encrypted reactions', () => {
  const createReaction = (key: proto.IMessageKey, people: { author: string; sender: string }, emoji = '👍') =>
    encryptReaction({ key, content }, people, { emoji, nowMs: 1_700_000_100_500 });
  const toAna = { remoteJid: group, fromMe: false, id: 'TEXT', participant: ana.lid };
  const bobKey = { ...ANA_KEY, participant: bob.lid };

  it('fromAddOn() maps an encrypted reaction to the event of a plain reaction', () => {
    expect(mapAddOn(createReaction(toAna, { author: ana.lid, sender: bob.lid }), toTargets(), bobKey)).toMatchObject({
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

  it('fromAddOn() names an own message from the viewpoint of this account, and maps the removal of a reaction', () => {
    const ownTargets = toTargets(
      createStored({ fromMe: true, participant: me.jid, participantAlt: me.lid ?? undefined }),
    );
    const toMe = { ...toAna, participant: me.lid };
    const message = createReaction(toMe, { author: me.lid ?? '', sender: bob.lid }, '');
    expect(mapAddOn(message, ownTargets, bobKey)).toMatchObject({
      event: { message: { message: { reactionMessage: { key: { fromMe: true, id: 'TEXT' }, text: '' } } } },
    });
  });

  it('fromAddOn() reports a reaction that cannot be decrypted as undecryptable', () => {
    const message = createReaction(toAna, { author: ana.lid, sender: ana.lid });
    expect(mapAddOn(message, new Map())).toEqual(undecryptableEvent('a reaction to a message that is not known here'));
    expect(mapAddOn(createReaction(toAna, { author: bob.lid, sender: bob.lid }))).toEqual(
      undecryptableEvent('a reaction to a message to which it does not belong'),
    );
  });
});

it('fromAddOn() reports comments and edits of events as undecryptable, and skips answers to events', () => {
  const addOnFields = { targetMessageKey: ownKey, encPayload: Buffer.alloc(20), encIv: Buffer.alloc(12) };
  expect(mapAddOn({ encCommentMessage: addOnFields })).toEqual(undecryptableEvent('unprocessable'));
  expect(mapAddOn({ secretEncryptedMessage: { ...addOnFields, secretEncType: 1 } })).toEqual(
    undecryptableEvent('unprocessable'),
  );
  expect(mapAddOn({ encEventResponseMessage: addOnFields })).toEqual({ skipped: 'an answer to an event' });
});
