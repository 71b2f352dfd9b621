// Encrypts messages with stored Signal sessions, with the same result as SessionCipher.encrypt() of libsignal 6.0.0, in
// a quarter of the time: libsignal decodes and encodes all sessions with a device for each message. Decision D-180.
import { createCipheriv } from 'node:crypto';
import { FieldWriter } from '../protobuf-fields.ts';
import { type SessionEntry, type SessionRecord, sendingSessionIn, withChainKey } from './session-record.ts';
import {
  deriveMessageKeys,
  deriveNextChainKey,
  type MessageKeys,
  macOf,
  PRE_KEY_WHISPER_MESSAGE,
  VERSION_BYTE,
  WHISPER_MESSAGE,
} from './signal-message.ts';

/** The keys of the account that are part of a message. */
export interface OwnIdentity {
  /** Public identity key with its type byte, 33 bytes. */
  identityKey: Uint8Array;
  registrationId: number;
}

export interface EncryptedMessage {
  /** `pkmsg` for a message that contains the keys with which the recipient starts the session. */
  type: 'pkmsg' | 'msg';
  ciphertext: Buffer;
  /** The record after the encryption. It shares the unchanged parts with the given record. */
  record: SessionRecord;
}

/**
 * Encrypts `plaintext` with the open session of `record`. Does not change `record`. The returned record must be stored
 * before the ciphertext is sent, because a key must not encrypt two messages. Returns undefined when no session of
 * `record` can encrypt.
 */
export function encryptWithSession(
  record: SessionRecord,
  plaintext: Uint8Array,
  own: OwnIdentity,
): EncryptedMessage | undefined {
  const sending = sendingSessionIn(record);
  if (!sending) return undefined;
  const { session, chain } = sending;
  const chainKey = Buffer.from(sending.chainKey, 'base64');
  const counter = chain.chainKey.counter + 1;
  const signalMessage = toSignalMessage(session, { counter, keys: deriveMessageKeys(chainKey), plaintext, own });
  // `pendingPreKey` is set until a message of the recipient in this session arrives.
  const { pendingPreKey } = session;
  return {
    type: pendingPreKey ? 'pkmsg' : 'msg',
    ciphertext: pendingPreKey ? toPreKeyMessage(pendingPreKey, signalMessage, own) : signalMessage,
    record: withChainKey(record, sending, { counter, key: deriveNextChainKey(chainKey) }),
  };
}

interface MessageInput {
  counter: number;
  keys: MessageKeys;
  plaintext: Uint8Array;
  own: OwnIdentity;
}

/** Returns version byte, WhisperMessage, and MAC. */
function toSignalMessage(session: SessionEntry, { counter, keys, plaintext, own }: MessageInput): Buffer {
  const { ephemeralKeyPair, previousCounter } = session.currentRatchet;
  const cipher = createCipheriv('aes-256-cbc', keys.cipherKey, keys.iv);
  const message = new FieldWriter(VERSION_BYTE);
  message.bytes(WHISPER_MESSAGE.ratchetKey, Buffer.from(ephemeralKeyPair.pubKey, 'base64'));
  message.number(WHISPER_MESSAGE.counter, counter);
  if (previousCounter !== undefined) message.number(WHISPER_MESSAGE.previousCounter, previousCounter);
  message.bytes(WHISPER_MESSAGE.ciphertext, cipher.update(plaintext), cipher.final());
  const signed = message.finish();
  const remoteKey = Buffer.from(session.indexInfo.remoteIdentityKey, 'base64');
  return Buffer.concat([signed, macOf(keys, [own.identityKey, remoteKey], signed)]);
}

/**
 * Returns version byte and PreKeyWhisperMessage, which contains the keys that the recipient needs for a new session.
 */
function toPreKeyMessage(
  { preKeyId, signedKeyId, baseKey }: NonNullable<SessionEntry['pendingPreKey']>,
  signalMessage: Uint8Array,
  own: OwnIdentity,
): Buffer {
  const message = new FieldWriter(VERSION_BYTE);
  // The id is missing or 0 when WhatsApp sent a key bundle without a one-time pre-key.
  if (preKeyId) message.number(PRE_KEY_WHISPER_MESSAGE.preKeyId, preKeyId);
  message.bytes(PRE_KEY_WHISPER_MESSAGE.baseKey, Buffer.from(baseKey, 'base64'));
  message.bytes(PRE_KEY_WHISPER_MESSAGE.identityKey, own.identityKey);
  message.bytes(PRE_KEY_WHISPER_MESSAGE.message, signalMessage);
  message.number(PRE_KEY_WHISPER_MESSAGE.registrationId, own.registrationId);
  message.number(PRE_KEY_WHISPER_MESSAGE.signedPreKeyId, signedKeyId);
  return message.finish();
}
