// Converts single Signal keys of Baileys 6 and 7 to members of the session bundle (bundle.ts). The functions check
// nothing: the caller checks their results with the schema of the bundle.
import { isObject } from '../lib/json-object.ts';
import {
  emptyToUndefined,
  MAX_VALUE_SIZE,
  membersOf,
  parseJson,
  toBase64,
  toBytes,
  toDigits,
  toNumber,
  toSignalKey,
} from './baileys-values.ts';

/** Converts every member of an object. Returns other values unchanged. */
const mapMembers = (value: unknown, convert: (member: unknown) => unknown): unknown =>
  // With Object.fromEntries(), the name `__proto__` creates a member and does not change the prototype.
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member)])) : value;

const mapElements = (value: unknown, convert: (element: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(convert) : value;

/** Converts a result of libsignal's SessionRecord.serialize(). */
export function fromSession(value: unknown): unknown {
  const record = membersOf(value);
  return { version: record.version, _sessions: mapMembers(record._sessions, fromSessionState) };
}

function fromSessionState(value: unknown): unknown {
  const { registrationId, currentRatchet, indexInfo, _chains, pendingPreKey } = membersOf(value);
  const ratchet = membersOf(currentRatchet);
  const ephemeral = membersOf(ratchet.ephemeralKeyPair);
  const info = membersOf(indexInfo);
  const pending = isObject(pendingPreKey) ? pendingPreKey : undefined;
  return {
    registrationId,
    currentRatchet: {
      // In a session that the other device started, libsignal uses the signed pre-key as the first pair. The public
      // key of the signed pre-key has no type byte. toSignalKey() adds the byte.
      ephemeralKeyPair: { pubKey: toSignalKey(ephemeral.pubKey), privKey: toBase64(ephemeral.privKey) },
      lastRemoteEphemeralKey: toSignalKey(ratchet.lastRemoteEphemeralKey),
      previousCounter: ratchet.previousCounter,
      rootKey: toBase64(ratchet.rootKey),
    },
    indexInfo: {
      baseKey: toSignalKey(info.baseKey),
      baseKeyType: info.baseKeyType,
      closed: info.closed,
      used: info.used,
      created: info.created,
      remoteIdentityKey: toSignalKey(info.remoteIdentityKey),
    },
    _chains: mapMembers(_chains, fromChain),
    pendingPreKey: pending && {
      signedKeyId: pending.signedKeyId,
      preKeyId: emptyToUndefined(pending.preKeyId),
      baseKey: toSignalKey(pending.baseKey),
    },
  };
}

function fromChain(value: unknown): unknown {
  const { chainKey, chainType, messageKeys } = membersOf(value);
  const { counter, key } = membersOf(chainKey);
  return {
    chainKey: { counter, key: emptyToUndefined(toBase64(key)) },
    chainType,
    messageKeys: mapMembers(messageKeys, toBase64),
  };
}

/**
 * Converts the states of a sender key, with which one device encrypts its messages to a group. `value` is the JSON of
 * the states as bytes (Baileys 6 and 7), the same JSON as a string, or the array of states (both only Baileys 6).
 * Returns undefined for a record without states, which Baileys writes before it has the first state.
 */
export function fromSenderKey(value: unknown): unknown {
  const states = parseStates(value);
  if (Array.isArray(states) && states.length === 0) return undefined;
  return mapElements(states, fromSenderKeyState);
}

function parseStates(value: unknown): unknown {
  // An array of numbers is bytes, an array of objects is states.
  if (Array.isArray(value) && typeof value[0] !== 'number') return value;
  const bytes = toBytes(value) ?? (typeof value === 'string' ? Buffer.from(value) : undefined);
  return bytes && bytes.length <= MAX_VALUE_SIZE ? parseJson(bytes.toString()) : value;
}

function fromSenderKeyState(value: unknown): unknown {
  const { senderKeyId, senderChainKey, senderSigningKey, senderMessageKeys } = membersOf(value);
  const chainKey = membersOf(senderChainKey);
  const signingKey = membersOf(senderSigningKey);
  // Baileys 7 writes an empty private key for the keys of other senders, Baileys 6 writes none.
  const isPrivateKeyEmpty = toBytes(signingKey.private)?.length === 0;
  return {
    senderKeyId,
    senderChainKey: { iteration: chainKey.iteration, seed: toBase64(chainKey.seed) },
    senderSigningKey: {
      public: toSignalKey(signingKey.public),
      private: isPrivateKeyEmpty ? undefined : emptyToUndefined(toBase64(signingKey.private)),
    },
    senderMessageKeys: mapElements(senderMessageKeys ?? [], fromSenderMessageKey),
  };
}

const fromSenderMessageKey = (value: unknown): unknown => {
  const { iteration, seed } = membersOf(value);
  return { iteration, seed: toBase64(seed) };
};

/** Converts an AppStateSyncKeyData message, in memory or as JSON. */
export function fromAppStateSyncKey(value: unknown): unknown {
  const { keyData, fingerprint, timestamp } = membersOf(value);
  const { rawId, currentIndex, deviceIndexes } = membersOf(fingerprint);
  return {
    keyData: toBase64(keyData),
    fingerprint: {
      rawId: rawId ?? 0,
      currentIndex: currentIndex ?? 0,
      deviceIndexes: mapElements(deviceIndexes ?? [], toNumber),
    },
    timestamp: toDigits(timestamp ?? 0),
  };
}

/** Converts a privacy token, which a contact gave to this account. */
export function fromPrivacyToken(value: unknown): unknown {
  const { token, timestamp, senderTimestamp } = membersOf(value);
  return {
    token: toBase64(token),
    timestamp: emptyToUndefined(toDigits(timestamp)),
    senderTimestamp: emptyToUndefined(toNumber(senderTimestamp)),
  };
}

/** Converts an array of device numbers to an array of digits. */
export const fromDeviceList = (value: unknown): unknown => mapElements(value, toDigits);
