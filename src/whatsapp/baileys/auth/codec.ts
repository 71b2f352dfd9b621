// Encodes Baileys' credentials and Signal keys for the store, and prunes the two types of keys that would grow without
// limit: sessions with devices, and sender keys (the keys of members for a group). Pure functions.
import { type AuthenticationCreds, BufferJSON, proto } from '../library.ts';

interface Codec {
  encode(value: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

/** Returns the value. Throws TypeError unless it is bytes. */
const bytesOf = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value;
  throw new TypeError('expected bytes');
};
/** Returns a view of the bytes, without a copy. */
const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const JSON_CODEC: Codec = {
  encode: (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, BufferJSON.replacer)),
  decode: (bytes: Uint8Array): unknown => reviveBytes(JSON.parse(bufferOf(bytes).toString())),
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Applies Baileys' reviver, which turns the JSON form of bytes into a Buffer, to a parsed value in place, and returns
 * the value. This is twice as fast as passing the reviver to JSON.parse(), which matters because every send decodes a
 * privacy token (a token that a contact has given to the account).
 */
function reviveBytes(value: unknown): unknown {
  if (!isObject(value)) return value;
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member)) value[name] = reviveBytes(member);
  }
  return BufferJSON.reviver('', value);
}

/**
 * Codecs by key type. Other types use JSON_CODEC. Binary keys are stored unchanged, because base64 would take a third
 * more space. Sessions are JSON without bytes and need no reviver.
 */
const CODECS: Record<string, Codec> = {
  session: {
    encode: (value) => Buffer.from(JSON.stringify(pruneSession(value))),
    decode: (bytes) => JSON.parse(bufferOf(bytes).toString()),
  },
  'sender-key': { encode: (value) => pruneSenderKey(bytesOf(value)), decode: bufferOf },
  // A received message that is not processed yet (inbound/inbound-buffer.ts).
  inbound: { encode: bytesOf, decode: bufferOf },
  // The salt of first-contact tokens (patches/nct-salt.ts).
  'gateway-nct-salt': { encode: bytesOf, decode: bufferOf },
  'identity-key': { encode: bytesOf, decode: bufferOf },
  'lid-mapping': { encode: (value) => Buffer.from(String(value)), decode: (bytes) => bufferOf(bytes).toString() },
  'pre-key': { encode: encodePair, decode: decodePair },
  'app-state-sync-key': {
    encode: (value) =>
      proto.Message.AppStateSyncKeyData.encode(proto.Message.AppStateSyncKeyData.fromObject(objectOf(value))).finish(),
    decode: (bytes) => proto.Message.AppStateSyncKeyData.decode(bytes),
  },
};

/** Returns the value. Throws TypeError unless it is an object. */
const objectOf = (value: unknown): object => {
  if (typeof value === 'object' && value !== null) return value;
  throw new TypeError('expected an object');
};

/**
 * Encodes a key of `type`. Prunes sessions (in place) and the sender keys of the account itself. Throws TypeError when
 * the codec of the type cannot encode the value.
 */
export const encodeKey = (type: string, value: unknown): Uint8Array => (CODECS[type] ?? JSON_CODEC).encode(value);

/** Decodes a result of encodeKey(). Throws when the bytes are invalid. */
export const decodeKey = (type: string, bytes: Uint8Array): unknown => (CODECS[type] ?? JSON_CODEC).decode(bytes);

/** Encodes credentials as JSON. */
export const encodeCreds = (creds: object): Uint8Array => JSON_CODEC.encode(creds);

/** Decodes a result of encodeCreds(). Throws when the bytes are invalid. */
export function decodeCreds(bytes: Uint8Array): AuthenticationCreds {
  const creds = objectOf(JSON_CODEC.decode(bytes));
  if (!('noiseKey' in creds) || !('signedIdentityKey' in creds) || !('registrationId' in creds)) {
    throw new TypeError('not credentials');
  }
  // The other members are not checked. Their shape is that of the Baileys version that wrote them.
  return creds as AuthenticationCreds;
}

/** Encodes a key pair as 32 bytes of private key, followed by 32 bytes of public key. */
function encodePair(value: unknown): Uint8Array {
  const pair = objectOf(value);
  if (!('private' in pair) || !('public' in pair)) throw new TypeError('expected a key pair');
  return Buffer.concat([bytesOf(pair.private), bytesOf(pair.public)]);
}

function decodePair(bytes: Uint8Array): { private: Buffer; public: Buffer } {
  if (bytes.length !== 64) throw new TypeError('expected 64 bytes');
  const both = bufferOf(bytes);
  return { private: both.subarray(0, 32), public: both.subarray(32) };
}

/**
 * Maximum number of closed receiving chains per session, the same as in Signal's own libraries. A receiving chain is
 * closed when the sender has started a new one.
 */
const MAX_CLOSED_CHAINS = 5;
/**
 * Maximum number of keys of skipped messages per record. A message is skipped when a later message of its chain arrives
 * first; the receiver then keeps its key. Signal's own libraries have the same limit, but for each chain.
 */
const MAX_MESSAGE_KEYS = 2_000;
interface Chain {
  chainKey: { key?: string };
  messageKeys: Record<string, string>;
}
interface Session {
  indexInfo?: { used?: number };
  _chains: Record<string, Chain>;
}

/**
 * Changes the session record `value` in place and returns it. Removes the oldest closed receiving chains of every
 * session, and the oldest keys of skipped messages. libsignal 6.0.0 never removes them: a record grows by 105 bytes
 * whenever the direction of a conversation changes, and by up to 2,000 keys with each message whose sender skips
 * counters. A sender can let all of the up to 40 sessions of a record grow.
 */
export function pruneSession(value: unknown): object {
  const record = objectOf(value);
  if (!('_sessions' in record)) throw new TypeError('expected a session record');
  // The record is the result of libsignal's SessionRecord.serialize(): `_sessions` by base key, and `_chains` by
  // ephemeral key in the order of their creation.
  const sessions = record._sessions as Record<string, Session>;
  // Goes from the most recently used session to the oldest, and from the newest chain of a session to its oldest. When
  // MAX_MESSAGE_KEYS keys are kept, all remaining keys are removed.
  let keysLeft = MAX_MESSAGE_KEYS;
  for (const { _chains: chains } of Object.values(sessions).sort((one, other) => usedAt(other) - usedAt(one))) {
    // A closed chain has no chain key.
    const closed = Object.keys(chains).filter((key) => !chains[key]?.chainKey.key);
    for (const key of closed.slice(0, -MAX_CLOSED_CHAINS)) delete chains[key];
    for (const { messageKeys } of Object.values(chains).reverse()) {
      // The names are the counters of the messages. Object.keys() returns these in ascending order.
      const counters = Object.keys(messageKeys);
      for (const counter of counters.slice(0, Math.max(0, counters.length - keysLeft))) delete messageKeys[counter];
      keysLeft = Math.max(0, keysLeft - counters.length);
    }
  }
  return record;
}

/** Returns the time at which a session was used, epoch ms. */
const usedAt = ({ indexInfo }: Session): number => indexInfo?.used ?? 0;

// Texts that show what the JSON of a sender key record contains. A record is a list of states, one for each key of the
// sender.
/** Occurs only in records of other senders. */
const NO_PRIVATE_KEY = '"private":{"type":"Buffer","data":[]}';
/** Occurs only in records with message keys. */
const MESSAGE_KEYS = '"senderMessageKeys":[{';
/** Occurs only in records with a state that has no message keys. */
const NO_MESSAGE_KEYS = '"senderMessageKeys":[]';
/** Start of bytes as a list of numbers. Occurs only in records that Baileys wrote. */
const BYTE_LIST = '"data":[';

interface SenderKeyState {
  /** The private key is empty in the keys of other senders. It can be a list of numbers, as Baileys writes it. */
  senderSigningKey: { private?: Uint8Array | { type: 'Buffer'; data: number[] } };
}

/**
 * Removes the message keys from a sender key record of the account itself: every send adds a message key (166 bytes)
 * that is never read. The records of other senders need their message keys for messages that arrive out of order.
 * Encodes bytes as base64 instead of the lists of numbers that Baileys writes: Baileys reads base64 three times as
 * fast, and cannot use a message key that was stored as a list. A record without message keys is returned unchanged
 * when it belongs to another sender (its bytes then stay lists of numbers), or when it has no lists of numbers.
 */
export function pruneSenderKey(record: Uint8Array): Uint8Array {
  const json = bufferOf(record);
  if (!json.includes(MESSAGE_KEYS)) {
    if (json.includes(NO_PRIVATE_KEY)) return record;
    if (json.includes(NO_MESSAGE_KEYS) && !json.includes(BYTE_LIST)) return record;
  }
  const states: unknown = reviveBytes(JSON.parse(json.toString()));
  if (!Array.isArray(states)) throw new TypeError('expected sender key states');
  const pruned = states.map((state: SenderKeyState) => (isOwn(state) ? { ...state, senderMessageKeys: [] } : state));
  return Buffer.from(JSON.stringify(pruned, BufferJSON.replacer));
}

/** True for a state of the account itself, which has a private key. */
function isOwn({ senderSigningKey: { private: key } }: SenderKeyState): boolean {
  return key !== undefined && ('data' in key ? key.data : key).length > 0;
}
