// A Signal session with one chain, in which a device sends to an account.
import { type AuthenticationCreds, generateSignalPubKey, initAuthCreds } from '@whiskeysockets/baileys';
import { encryptWithSession } from '../../../src/whatsapp/baileys/auth/session-encryption.ts';
import { isSessionRecord, type SessionRecord } from '../../../src/whatsapp/baileys/auth/session-record.ts';

const RATCHET = Buffer.alloc(33, 5).toString('base64');
const BASE_KEY = Buffer.alloc(33, 7).toString('base64');
const CHAIN_KEY = Buffer.alloc(32, 9).toString('base64');

/** The identity key of the device. */
export const senderIdentityKey = generateSignalPubKey(initAuthCreds().signedIdentityKey.public);

/** Returns the session of one side. The chain type 1 sends, 2 receives. */
function createRecord(chainType: 1 | 2, remoteIdentityKey: Uint8Array): SessionRecord {
  const value: unknown = {
    version: 'v1',
    _sessions: {
      [BASE_KEY]: {
        registrationId: 1,
        currentRatchet: { ephemeralKeyPair: { pubKey: RATCHET }, previousCounter: 0 },
        indexInfo: {
          closed: -1,
          created: 0,
          used: 0,
          baseKeyType: 2,
          remoteIdentityKey: Buffer.from(remoteIdentityKey).toString('base64'),
        },
        _chains: { [RATCHET]: { chainKey: { counter: -1, key: CHAIN_KEY }, chainType, messageKeys: {} } },
      },
    },
  };
  if (!isSessionRecord(value)) throw new TypeError('not a session');
  return value;
}

/** The session as the account stores it. */
export const receivingRecord = (): SessionRecord => createRecord(2, senderIdentityKey);

/** Returns a function that encrypts as the device. The messages have the type `pkmsg` unless `isAnswered` is true. */
export function createEncryption({ signedIdentityKey }: AuthenticationCreds, isAnswered: boolean) {
  let sendingRecord = createRecord(1, generateSignalPubKey(signedIdentityKey.public));
  const session = sendingRecord._sessions[BASE_KEY];
  if (session && !isAnswered) session.pendingPreKey = { signedKeyId: 1, baseKey: BASE_KEY };
  return (plaintext: Uint8Array) => {
    const encrypted = encryptWithSession(sendingRecord, plaintext, {
      identityKey: senderIdentityKey,
      registrationId: 1,
    });
    if (!encrypted) throw new Error('not encrypted');
    const { type, ciphertext } = encrypted;
    sendingRecord = encrypted.record;
    return { type, ciphertext };
  };
}
