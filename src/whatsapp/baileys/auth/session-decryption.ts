// Decrypts the next message of a Signal session, with the same result as SessionCipher.decryptWhisperMessage() and
// decryptPreKeyWhisperMessage() of libsignal 6.0.0 and less work: libsignal decodes and encodes all sessions with a
// device for each message. Returns undefined for all other messages: the caller then uses libsignal. Decision D-183.
import { createDecipheriv, timingSafeEqual } from 'node:crypto';
import {
  isSessionRecord,
  OPEN,
  RECEIVING,
  type SessionEntry,
  type SessionRecord,
  THEIRS,
  withChainKey,
} from './session-record.ts';
import {
  deriveMessageKeys,
  deriveNextChainKey,
  MAC_LENGTH,
  macOf,
  PRE_KEY_WHISPER_MESSAGE,
  VERSION_BYTE,
  WHISPER_MESSAGE,
} from './signal-message.ts';

export interface Decrypted {
  plaintext: Buffer;
  /**
   * The record (all sessions with a device) after the decryption. It shares the unchanged parts with the given record.
   */
  record: SessionRecord;
}

const MESSAGE_TAGS: ReadonlySet<number> = new Set(Object.values(WHISPER_MESSAGE));
const PRE_KEY_MESSAGE_TAGS: ReadonlySet<number> = new Set(Object.values(PRE_KEY_WHISPER_MESSAGE));
/** Wire type of the fields that contain a length and bytes. All other fields of both message types contain a number. */
const BYTES = 2;

/** What decryptNext() needs besides the message. */
export interface DecryptionContext {
  /** Public identity key of this account, with its type byte. */
  ownIdentityKey: Uint8Array;
  /** Epoch ms. */
  now: number;
}

/**
 * Decrypts `message`, a message of type `msg` (without the keys that start a session), if it is the next message of a
 * chain of an open session in `record`. Returns undefined in all other cases, also when the message is damaged or
 * forged. Does not change `record`.
 */
export function decryptNext(record: unknown, message: Uint8Array, context: DecryptionContext): Decrypted | undefined {
  const fields = parseMessage(message);
  if (!fields || !isSessionRecord(record)) return undefined;
  for (const baseKey in record._sessions) {
    const session = record._sessions[baseKey];
    if (!session || !hasReceivingChain(session, fields)) continue;
    const usedNow = { ...session, indexInfo: { ...session.indexInfo, used: context.now } };
    return decryptIn({ record, baseKey, session: usedNow }, fields, context);
  }
  return undefined;
}

/**
 * The content of a message of type `pkmsg`: a message of type `msg` together with the keys that start a session. The
 * base key identifies this session.
 */
export interface PreKeyMessage {
  /** Public identity key of the sender, with its type byte. */
  identityKey: Buffer;
  /** Base64. */
  baseKey: string;
  message: Buffer;
}

/** Reads a message of type `pkmsg`. Returns undefined when a key or the message is missing, or a field is not valid. */
export function parsePreKeyMessage(bytes: Uint8Array): PreKeyMessage | undefined {
  const fields = parseFields(bytes, bytes.length, PRE_KEY_MESSAGE_TAGS);
  const baseKey = fields?.get(PRE_KEY_WHISPER_MESSAGE.baseKey);
  const identityKey = fields?.get(PRE_KEY_WHISPER_MESSAGE.identityKey);
  const message = fields?.get(PRE_KEY_WHISPER_MESSAGE.message);
  if (!Buffer.isBuffer(baseKey) || !Buffer.isBuffer(identityKey) || !Buffer.isBuffer(message)) return undefined;
  return { identityKey, baseKey: baseKey.toString('base64'), message };
}

/**
 * Does the same as decryptNext() for a message of type `pkmsg`, if its session is in `record`. Senders use this type
 * until they get an answer. Like libsignal, does not change `indexInfo.used` of the session for this type.
 */
export function decryptNextPreKeyMessage(
  record: unknown,
  { baseKey, identityKey, message }: PreKeyMessage,
  context: DecryptionContext,
): Decrypted | undefined {
  const fields = parseMessage(message);
  if (!fields || !isSessionRecord(record) || !Object.hasOwn(record._sessions, baseKey)) return undefined;
  const session = record._sessions[baseKey];
  if (!session || session.indexInfo.baseKeyType !== THEIRS || !hasReceivingChain(session, fields)) return undefined;
  if (identityKey.toString('base64') !== session.indexInfo.remoteIdentityKey) return undefined;
  return decryptIn({ record, baseKey, session }, fields, context);
}

/** True for an open session that has a receiving chain for the message. */
const hasReceivingChain = ({ indexInfo, _chains }: SessionEntry, { chainId }: MessageFields): boolean =>
  indexInfo.closed === OPEN && Object.hasOwn(_chains, chainId) && _chains[chainId]?.chainType === RECEIVING;

/** Decrypts the message if it is the next one of its chain in `session`. */
function decryptIn(
  { record, baseKey, session }: { record: SessionRecord; baseKey: string; session: SessionEntry },
  fields: MessageFields,
  { ownIdentityKey }: DecryptionContext,
): Decrypted | undefined {
  const { chainId } = fields;
  const chain = session._chains[chainId];
  const { counter = 0, key } = chain?.chainKey ?? {};
  if (!chain || key === undefined || fields.counter !== counter + 1) return undefined;
  const chainKey = Buffer.from(key, 'base64');
  const remoteIdentityKey = Buffer.from(session.indexInfo.remoteIdentityKey, 'base64');
  const plaintext = decrypt(chainKey, fields, [remoteIdentityKey, ownIdentityKey]);
  if (!plaintext) return undefined;
  const nextKey = { counter: counter + 1, key: deriveNextChainKey(chainKey) };
  // The other side has sent a message in this session, so messages to the other side need no pre-key any more.
  const { pendingPreKey: _, ...answered } = session;
  return {
    plaintext,
    record: withChainKey(record, { baseKey, session: answered, ratchetKey: chainId, chain }, nextKey),
  };
}

/** Returns the plaintext, or undefined when the MAC or the padding is wrong. `identities`: of sender and recipient. */
function decrypt(
  chainKey: Uint8Array,
  { signed, mac, ciphertext }: MessageFields,
  identities: readonly [Uint8Array, Uint8Array],
): Buffer | undefined {
  const keys = deriveMessageKeys(chainKey);
  if (!timingSafeEqual(macOf(keys, identities, signed), mac)) return undefined;
  const decipher = createDecipheriv('aes-256-cbc', keys.cipherKey, keys.iv);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    return undefined;
  }
}

interface MessageFields {
  /** Name of the chain in `_chains` of a session: the sender's ratchet key, base64. */
  chainId: string;
  counter: number;
  ciphertext: Buffer;
  /** The bytes that the MAC signs. */
  signed: Uint8Array;
  mac: Uint8Array;
}

/** Reads a WhisperMessage with its MAC. Returns undefined when a needed field is missing, or a field is not valid. */
function parseMessage(message: Uint8Array): MessageFields | undefined {
  const end = message.length - MAC_LENGTH;
  const fields = parseFields(message, end, MESSAGE_TAGS);
  const ratchetKey = fields?.get(WHISPER_MESSAGE.ratchetKey);
  const counter = fields?.get(WHISPER_MESSAGE.counter);
  const ciphertext = fields?.get(WHISPER_MESSAGE.ciphertext);
  if (!Buffer.isBuffer(ratchetKey) || typeof counter !== 'number' || !Buffer.isBuffer(ciphertext)) return undefined;
  const [signed, mac] = [message.subarray(0, end), message.subarray(end)];
  return { chainId: ratchetKey.toString('base64'), counter, ciphertext, signed, mac };
}

/**
 * Reads a version byte and protobuf fields up to `end`. Returns undefined when the version is not VERSION_BYTE, when
 * the tag of a field is not in `tags`, when a field occurs twice, and when a field is malformed.
 */
function parseFields(
  message: Uint8Array,
  end: number,
  tags: ReadonlySet<number>,
): Map<number, number | Buffer> | undefined {
  if (message[0] !== VERSION_BYTE) return undefined;
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const fields = new Map<number, number | Buffer>();
  let offset = 1;
  /** Returns a number of up to 28 bits. Returns -1 for a malformed or larger number. */
  const readNumber = (): number => {
    let value = 0;
    for (let shift = 0; shift < 28 && offset < end; shift += 7) {
      const byte = bytes[offset++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return -1;
  };
  while (offset < end) {
    const tag = bytes[offset++] ?? 0;
    const valueOrLength = tags.has(tag) && !fields.has(tag) ? readNumber() : -1;
    if (valueOrLength < 0) return undefined;
    // The lowest three bits of a tag are the wire type.
    const isBytes = (tag & 7) === BYTES;
    if (isBytes && offset + valueOrLength > end) return undefined;
    fields.set(tag, isBytes ? bytes.subarray(offset, offset + valueOrLength) : valueOrLength);
    if (isBytes) offset += valueOrLength;
  }
  return fields;
}
