// Baileys' credentials and Signal keys ⇄ bytes, and the pruning that keeps the two growing kinds small. Pure functions.
import { type AuthenticationCreds, BufferJSON, proto } from '@whiskeysockets/baileys';

const bytesOf = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value;
  throw new TypeError('expected bytes');
};
const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const json = {
  encode: (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, BufferJSON.replacer)),
  decode: (bytes: Uint8Array): unknown => revived(JSON.parse(bufferOf(bytes).toString())),
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** What JSON.parse() makes of `value` with Baileys' reviver, in half the time: every send reads a privacy token. Changes `value`. */
function revived(value: unknown): unknown {
  if (!isObject(value)) return value;
  for (const [name, member] of Object.entries(value)) if (isObject(member)) value[name] = revived(member);
  return BufferJSON.reviver('', value);
}

interface Codec {
  encode(value: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

/** By key type. Binary kinds are stored as they are (base64 in JSON costs a third more); sessions hold no bytes, so plain JSON will do. */
const codecs: Record<string, Codec> = {
  session: {
    encode: (value) => Buffer.from(JSON.stringify(pruneSession(value))),
    decode: (bytes) => JSON.parse(bufferOf(bytes).toString()),
  },
  'sender-key': { encode: (value) => pruneSenderKey(bytesOf(value)), decode: bufferOf },
  inbound: { encode: bytesOf, decode: bufferOf },
  'identity-key': { encode: bytesOf, decode: bufferOf },
  'lid-mapping': { encode: (value) => Buffer.from(String(value)), decode: (bytes) => bufferOf(bytes).toString() },
  'pre-key': { encode: encodePair, decode: decodePair },
  'app-state-sync-key': {
    encode: (value) =>
      proto.Message.AppStateSyncKeyData.encode(proto.Message.AppStateSyncKeyData.fromObject(objectOf(value))).finish(),
    decode: (bytes) => proto.Message.AppStateSyncKeyData.decode(bytes),
  },
};

const objectOf = (value: unknown): object => {
  if (typeof value === 'object' && value !== null) return value;
  throw new TypeError('expected an object');
};

/** Value of a key of `type` as bytes to store; sessions and own sender keys are pruned (sessions in place). Throws TypeError for a wrong shape. */
export const encodeKey = (type: string, value: unknown): Uint8Array => (codecs[type] ?? json).encode(value);

/** The inverse of encodeKey. Throws when the bytes are not what encodeKey made. */
export const decodeKey = (type: string, bytes: Uint8Array): unknown => (codecs[type] ?? json).decode(bytes);

export const encodeCreds = (creds: AuthenticationCreds): Uint8Array => json.encode(creds);

/** Throws when the bytes are no credentials. */
export function decodeCreds(bytes: Uint8Array): AuthenticationCreds {
  const creds = objectOf(json.decode(bytes));
  if (!('noiseKey' in creds) || !('signedIdentityKey' in creds) || !('registrationId' in creds)) {
    throw new TypeError('not credentials');
  }
  // Baileys wrote this object and only Baileys reads it; beyond its landmarks its shape is not ours to know.
  return creds as AuthenticationCreds;
}

/** 32 bytes private key, then 32 bytes public key. */
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

const closedChainsMax = 5;
interface Chain {
  chainKey: { key?: string };
}

/**
 * Keeps the newest five closed receiving chains of every session in the record. libsignal 6.0.0 never removes one, so a row grows
 * by 105 bytes with every turn of the conversation; five is what the reference implementation keeps. Changes and returns `value`.
 */
export function pruneSession(value: unknown): object {
  const record = objectOf(value);
  if (!('_sessions' in record)) throw new TypeError('expected a session record');
  // SessionRecord.serialize() of libsignal made it: sessions by base key, chains by ephemeral key in order of creation.
  const sessions = record._sessions as Record<string, { _chains: Record<string, Chain> }>;
  for (const id in sessions) {
    const chains = sessions[id]?._chains ?? {};
    const closed = Object.keys(chains).filter((key) => !chains[key]?.chainKey.key);
    for (const key of closed.slice(0, -closedChainsMax)) delete chains[key];
  }
  return record;
}

const noPrivateKey = '"private":{"type":"Buffer","data":[]}';

/**
 * Empties the stale message keys of an own sending record: every send leaves one behind (166 bytes) that nobody can ask for.
 * Records of other senders keep theirs: they are needed for messages that arrive out of order. Keys become base64, which rc14 reads
 * (twice with every send) in a third of the time that it needs for the lists of numbers it writes.
 */
export function pruneSenderKey(record: Uint8Array): Uint8Array {
  const text = bufferOf(record);
  if (text.includes(noPrivateKey)) return record;
  const states: unknown = JSON.parse(text.toString());
  if (!Array.isArray(states)) throw new TypeError('expected sender key states');
  return Buffer.from(
    JSON.stringify(
      states.map((state: object) => ({ ...state, senderMessageKeys: [] })),
      BufferJSON.replacer,
    ),
  );
}
