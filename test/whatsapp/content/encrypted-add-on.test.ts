import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import {
  type AddOnKeyMaterial,
  decryptAddOn,
  type EncryptedAddOn,
  encryptedAddOnIn,
} from '../../../src/whatsapp/content/encrypted-add-on.ts';

const { EVENT_EDIT, MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;
const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const target = { remoteJid: '111@lid', fromMe: true, id: '3EB0C8712CC1E53869085F' };
const iv = Buffer.from('6465666768696a6b6c6d6e6f', 'hex');

/**
 * Ciphertexts of an edit by the LID of its author, and of a reaction by the number of the LID's owner. They come from
 * Python's hmac and hashlib (HKDF, RFC 5869) and AESGCM of pyca/cryptography, with protobufs written by hand.
 */
const EDIT =
  '6706100f793312bc5965bfea2682484246412088a95aa3020d015245ea3ad390ab65d39e84a533fe3263418cead5264bf9bb045b91900ff77f' +
  '2ea7e382acf1775b5326cd67a44a412307307d';
const REACTION = '1a2c0ccc905cd0361c9abae7c926e383a0a70fcfe665f038fd834fe80d';

const createAddOn = (parts: Partial<EncryptedAddOn> = {}): EncryptedAddOn => ({
  kind: 'edit',
  target,
  payload: Buffer.from(EDIT, 'hex'),
  iv,
  ...parts,
});
const createReaction = (parts: Partial<EncryptedAddOn> = {}) =>
  createAddOn({ kind: 'reaction', payload: Buffer.from(REACTION, 'hex'), ...parts });
const createMaterial = (parts: Partial<AddOnKeyMaterial> = {}): AddOnKeyMaterial => ({
  secret: Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
  targetId: target.id,
  authorJids: [pn, lid],
  senderJids: [pn, lid],
  ...parts,
});

describe('encrypted add-ons', () => {
  it('decryptAddOn() decrypts an edit that other software encrypted', () => {
    const plaintext = decryptAddOn(createAddOn(), createMaterial());
    expect(proto.Message.decode(plaintext ?? Buffer.alloc(0)).toJSON()).toEqual({
      protocolMessage: {
        key: target,
        type: 'MESSAGE_EDIT',
        editedMessage: { extendedTextMessage: { text: 'At ten' } },
        timestampMs: '1700000100500',
      },
    });
  });

  it('decryptAddOn() decrypts a reaction whose client used a LID for the author and a number for the sender', () => {
    const plaintext = decryptAddOn(createReaction(), createMaterial());
    expect(proto.Message.ReactionMessage.decode(plaintext ?? Buffer.alloc(0)).toJSON()).toEqual({
      text: '👍',
      senderTimestampMs: '1700000100500',
    });
  });

  const damaged = Buffer.from(EDIT, 'hex');
  damaged[3] = 0;
  it.each<[string, EncryptedAddOn, Partial<AddOnKeyMaterial>]>([
    ['with another secret', createAddOn(), { secret: Buffer.alloc(32) }],
    ['of another message', createAddOn(), { targetId: 'OTHER' }],
    ['by another person', createAddOn(), { senderJids: ['333@lid'] }],
    ['to a message of another person', createAddOn(), { authorJids: ['333@lid'] }],
    ['of a person without known addresses', createAddOn(), { authorJids: [] }],
    ['with a damaged payload', createAddOn({ payload: damaged }), {}],
    ['of a wrong kind', createReaction({ kind: 'edit' }), {}],
    ['of a kind without decryption', createAddOn({ kind: 'comment' }), {}],
    ['with a short iv', createAddOn({ iv: iv.subarray(1) }), {}],
    ['with a long iv', createAddOn({ iv: Buffer.concat([iv, Buffer.alloc(4)]) }), {}],
    ['without an iv', createAddOn({ iv: Buffer.alloc(0) }), {}],
    ['without a tag', createAddOn({ payload: Buffer.alloc(15) }), {}],
    ['without a ciphertext', createAddOn({ payload: Buffer.alloc(0) }), {}],
    ['of more than a megabyte', createAddOn({ payload: Buffer.alloc(1_048_577) }), {}],
  ])('decryptAddOn() returns undefined for an add-on %s', (_, encryptedAddOn, parts) => {
    expect(decryptAddOn(encryptedAddOn, createMaterial(parts))).toBeUndefined();
  });

  const addOnFields = { targetMessageKey: target, encPayload: Buffer.alloc(20), encIv: iv };
  it.each<[EncryptedAddOn['kind'], proto.IMessage]>([
    ['edit', { secretEncryptedMessage: { ...addOnFields, secretEncType: MESSAGE_EDIT } }],
    [
      'edit',
      { ephemeralMessage: { message: { secretEncryptedMessage: { ...addOnFields, secretEncType: MESSAGE_EDIT } } } },
    ],
    ['other', { secretEncryptedMessage: { ...addOnFields, secretEncType: EVENT_EDIT } }],
    ['other', { secretEncryptedMessage: addOnFields }],
    ['reaction', { encReactionMessage: addOnFields }],
    ['comment', { encCommentMessage: addOnFields }],
    ['event answer', { encEventResponseMessage: { ...addOnFields, eventCreationMessageKey: target } }],
  ])('encryptedAddOnIn() returns the kind "%s" and the fields of an add-on: %#', (kind, message) => {
    expect(encryptedAddOnIn({ message })).toEqual({ kind, target, payload: addOnFields.encPayload, iv });
  });

  it('encryptedAddOnIn() reads an add-on without fields, and finds none in other messages', () => {
    const message = proto.Message.decode(proto.Message.encode({ secretEncryptedMessage: {} }).finish());
    const { payload, iv: emptyIv, ...fields } = encryptedAddOnIn({ message }) ?? createAddOn();
    expect(fields).toEqual({ kind: 'other', target: undefined });
    expect([payload.length, emptyIv.length]).toEqual([0, 0]);
    for (const other of [{ conversation: 'hi' }, { pollUpdateMessage: {} }, {}, null])
      expect(encryptedAddOnIn({ message: other })).toBeUndefined();
  });
});
