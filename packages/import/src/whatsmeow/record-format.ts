// Reads and writes the bytes of Signal records: sessions and sender keys. whatsmeow stores records as the JSON of its
// Go structures, and forks of whatsmeow store them as protobuf. This file reads both forms. It writes JSON, because
// whatsmeow reads nothing else (D-179).
import { isObject } from '../../../../src/lib/json-object.ts';
import { JsonShape } from '../../../../src/lib/json-shape.ts';
import { deriveSenderMessageKey } from './derivation.ts';
import {
  bytesField,
  listField,
  numberField,
  objectField,
  optionalBytes,
  publicKeyField,
  RecordError,
  type RecordFields,
} from './record-fields.ts';
import { decodeStructure, type StructureName } from './record-structure.ts';
import {
  MAX_RECEIVER_CHAINS,
  MAX_SENDER_KEY_STATES,
  MAX_SKIPPED_KEYS,
  type RatchetChain,
  type SenderKeyState,
  type SessionRecord,
  type SessionState,
  type SkippedMessageKeys,
} from './session-record.ts';

/** Maximum size of a record, bytes. With 2000 skipped keys in each of five chains, a record has less than 2 MB. */
export const MAX_RECORD_SIZE = 4_194_304;
/** Limits of a record in JSON. JsonShape checks them before the record is parsed. */
const SHAPE_LIMITS = { values: 200_000, depth: 12, escapes: 1000 };
const SESSION_VERSION = 3;
/** Limits of the lists in hostile records: states or chains, and skipped keys of a chain. Real lists are shorter. */
const MAX_STATES = 100;
const MAX_LISTED_KEYS = 10_000;
const OPEN_BRACE = 0x7b;
/** libsignal-protocol-go loads a missing private signing key as zeros, and then stores the zeros. */
const NO_PRIVATE_KEY = Buffer.alloc(32);

/**
 * Reads a session record. Throws RecordError when the record or its current state is damaged. Damaged previous states
 * are only counted.
 */
export function decodeSessionRecord(bytes: Buffer): SessionRecord {
  const fields = decode('SessionRecord', bytes);
  const current = readState(objectField(fields, 'SessionState'));
  const previous: SessionState[] = [];
  let damaged = 0;
  for (const one of listField(fields, 'PreviousStates', MAX_STATES)) {
    try {
      previous.push(readState(one));
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      damaged += 1;
    }
  }
  return { current, previous, damaged };
}

/** Reads a record of sender keys. The newest state is first. Throws RecordError when it is damaged. */
export function decodeSenderKeyRecord(bytes: Buffer): SenderKeyState[] {
  const states = listField(decode('SenderKeyRecord', bytes), 'SenderKeyStates', MAX_STATES);
  if (states.length === 0) throw new RecordError('SenderKeyStates is empty');
  return states.slice(0, MAX_SENDER_KEY_STATES).map(readSenderKeyState);
}

/** Decodes JSON or protobuf. A record in JSON starts with a brace, and a record in protobuf never does. */
function decode(name: StructureName, bytes: Buffer): RecordFields {
  if (bytes.length > MAX_RECORD_SIZE) throw new RecordError(`the record has more than ${MAX_RECORD_SIZE} bytes`);
  try {
    if (bytes[0] !== OPEN_BRACE) return decodeStructure(name, bytes);
    // add() returns undefined when the record exceeds no limit.
    if (new JsonShape(SHAPE_LIMITS).add(bytes) === undefined) {
      const value: unknown = JSON.parse(bytes.toString());
      if (isObject(value)) return value;
    }
  } catch {
    // The error of the parser is dropped, because its text may contain parts of the keys.
  }
  throw new RecordError('the record is neither JSON nor protobuf');
}

/** Reads a state. Keeps only the newest receiver chains, which are the last ones in the list. */
function readState(fields: RecordFields): SessionState {
  if (numberField(fields, 'SessionVersion') !== SESSION_VERSION) throw new RecordError('SessionVersion is unknown');
  const senderChain = readChain(objectField(fields, 'SenderChain'));
  if (!senderChain.ratchetPrivateKey || senderChain.key.length === 0) {
    throw new RecordError('SenderChain has no private key or no chain key');
  }
  return {
    localIdentityKey: publicKeyField(fields, 'LocalIdentityPublic'),
    remoteIdentityKey: publicKeyField(fields, 'RemoteIdentityPublic'),
    localRegistrationId: numberField(fields, 'LocalRegistrationID'),
    remoteRegistrationId: numberField(fields, 'RemoteRegistrationID'),
    rootKey: bytesField(fields, 'RootKey', 32),
    previousCounter: numberField(fields, 'PreviousCounter'),
    senderChain,
    receiverChains: listField(fields, 'ReceiverChains', MAX_STATES).slice(-MAX_RECEIVER_CHAINS).map(readChain),
    pendingPreKey: readPendingPreKey(fields.PendingPreKey),
    baseKey: publicKeyField(fields, 'SenderBaseKey'),
  };
}

function readChain(fields: RecordFields): RatchetChain {
  const chainKey = objectField(fields, 'ChainKey');
  return {
    ratchetKey: publicKeyField(fields, 'SenderRatchetKeyPublic'),
    ratchetPrivateKey: optionalBytes(fields, 'SenderRatchetKeyPrivate', 32),
    index: numberField(chainKey, 'Index'),
    key: optionalBytes(chainKey, 'Key', 32) ?? Buffer.alloc(0),
    skipped: listField(fields, 'MessageKeys', MAX_LISTED_KEYS).map(readSkippedKeys),
  };
}

const readSkippedKeys = (fields: RecordFields): SkippedMessageKeys => ({
  index: numberField(fields, 'Index'),
  cipherKey: bytesField(fields, 'CipherKey', 32),
  macKey: bytesField(fields, 'MacKey', 32),
  iv: bytesField(fields, 'IV', 16),
});

/** The id of the one-time pre-key is an object in JSON and a number in protobuf. */
function readPendingPreKey(value: unknown): SessionState['pendingPreKey'] {
  if (!isObject(value)) return undefined;
  const id = isObject(value.PreKeyID) ? value.PreKeyID : { Value: value.PreKeyID, IsEmpty: value.PreKeyID == null };
  return {
    ...(id.IsEmpty === true ? {} : { preKeyId: numberField(id, 'Value') }),
    signedPreKeyId: numberField(value, 'SignedPreKeyID'),
    baseKey: publicKeyField(value, 'BaseKey'),
  };
}

/** Reads a state. Keeps only the newest skipped keys, which are the last ones in the list. */
function readSenderKeyState(fields: RecordFields): SenderKeyState {
  const chainKey = objectField(fields, 'SenderChainKey');
  // Protobuf has the two signing keys in an object. JSON has them in two fields of the state.
  const signingKeys: RecordFields = isObject(fields.SigningKey) ? fields.SigningKey : {};
  const { Public = fields.SigningKeyPublic, Private = fields.SigningKeyPrivate } = signingKeys;
  const privateKey = optionalBytes({ Private }, 'Private', 32);
  return {
    keyId: numberField(fields, 'KeyID'),
    iteration: numberField(chainKey, 'Iteration'),
    seed: bytesField(chainKey, 'ChainKey', 32),
    signingKey: publicKeyField({ Public }, 'Public'),
    signingPrivateKey: privateKey?.equals(NO_PRIVATE_KEY) ? undefined : privateKey,
    skipped: listField(fields, 'Keys', MAX_LISTED_KEYS)
      .slice(-MAX_SKIPPED_KEYS)
      .map((key) => ({ iteration: numberField(key, 'Iteration'), seed: bytesField(key, 'Seed', 32) })),
  };
}

/** Writes a session record as JSON, with the fields in the order of the Go structures. */
export function encodeSessionRecord({ current, previous }: SessionRecord): Buffer {
  return toJson({ SessionState: writeState(current), PreviousStates: previous.map(writeState) });
}

/** Writes a record of sender keys as JSON. */
export function encodeSenderKeyRecord(states: readonly SenderKeyState[]): Buffer {
  return toJson({ SenderKeyStates: states.map(writeSenderKeyState) });
}

const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const base64 = (bytes: Buffer): string => bytes.toString('base64');

function writeState(state: SessionState): RecordFields {
  const pending = state.pendingPreKey;
  return {
    LocalIdentityPublic: base64(state.localIdentityKey),
    LocalRegistrationID: state.localRegistrationId,
    NeedsRefresh: false,
    PendingKeyExchange: null,
    PendingPreKey: pending
      ? {
          PreKeyID: { Value: pending.preKeyId ?? 0, IsEmpty: pending.preKeyId === undefined },
          SignedPreKeyID: pending.signedPreKeyId,
          BaseKey: base64(pending.baseKey),
        }
      : null,
    PreviousCounter: state.previousCounter,
    ReceiverChains: state.receiverChains.map(writeChain),
    RemoteIdentityPublic: base64(state.remoteIdentityKey),
    RemoteRegistrationID: state.remoteRegistrationId,
    RootKey: base64(state.rootKey),
    SenderBaseKey: base64(state.baseKey),
    SenderChain: writeChain(state.senderChain),
    SessionVersion: SESSION_VERSION,
  };
}

const writeChain = ({ ratchetKey, ratchetPrivateKey, index, key, skipped }: RatchetChain): RecordFields => ({
  SenderRatchetKeyPublic: base64(ratchetKey),
  SenderRatchetKeyPrivate: ratchetPrivateKey ? base64(ratchetPrivateKey) : null,
  ChainKey: { Key: base64(key), Index: index },
  MessageKeys: skipped.map((keys) => ({
    CipherKey: base64(keys.cipherKey),
    MacKey: base64(keys.macKey),
    IV: base64(keys.iv),
    Index: keys.index,
  })),
});

const writeSenderKeyState = (state: SenderKeyState): RecordFields => ({
  Keys: state.skipped.map(({ iteration, seed }) => {
    const { iv, cipherKey } = deriveSenderMessageKey(seed);
    return { Iteration: iteration, IV: base64(iv), CipherKey: base64(cipherKey), Seed: base64(seed) };
  }),
  KeyID: state.keyId,
  SenderChainKey: { Iteration: state.iteration, ChainKey: base64(state.seed) },
  SigningKeyPrivate: base64(state.signingPrivateKey ?? NO_PRIVATE_KEY),
  SigningKeyPublic: base64(state.signingKey),
});
