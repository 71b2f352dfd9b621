// A Signal session with a single chain: an account that receives, and a device that sends to it.
import { type AuthenticationCreds, generateSignalPubKey, initAuthCreds } from '@whiskeysockets/baileys';
import { encryptWithSession } from '../../../src/whatsapp/baileys/auth/session-encryption.ts';
import { isSessionRecord, type SessionRecord } from '../../../src/whatsapp/baileys/auth/session-record.ts';

const RATCHET = Buffer.alloc(33, 5).toString('base64');
const BASE_KEY = Buffer.alloc(33, 7).toString('base64');
const CHAIN_KEY = Buffer.alloc(32, 9).toString('base64');

/** Identity key of the device. */
export const theirIdentityKey = generateSignalPubKey(initAuthCreds().signedIdentityKey.public);

/** One side of the session: type 1 sends, type 2 receives. */
function record(chainType: 1 | 2, remoteIdentityKey: Uint8Array): SessionRecord {
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
export const receivingRecord = (): SessionRecord => record(2, theirIdentityKey);

/** Returns the encryption of the device. Without an answer of the account, its messages have the type `pkmsg`. */
export function createEncryption({ signedIdentityKey }: AuthenticationCreds, isAnswered: boolean) {
  let sending = record(1, generateSignalPubKey(signedIdentityKey.public));
  const session = sending._sessions[BASE_KEY];
  if (session && !isAnswered) session.pendingPreKey = { signedKeyId: 1, baseKey: BASE_KEY };
  return (plaintext: Uint8Array) => {
    const encrypted = encryptWithSession(sending, plaintext, { identityKey: theirIdentityKey, registrationId: 1 });
    if (!encrypted) throw new Error('not encrypted');
    const { type, ciphertext } = encrypted;
    sending = encrypted.record;
    return { type, ciphertext };
  };
}
