// Converts sessions of Baileys 6 and 7 to the session bundle (bundle.ts), and the bundle to a session of Baileys 7.
// This file does not import Baileys, because packages/import contains this file and not Baileys.

import { isBaileys6, upgradeBaileys6 } from './baileys-6-upgrade.ts';
import { fromBaileysCredentials, toBaileysCredentials } from './baileys-credentials.ts';
import { fromAppStateSyncKey, fromDeviceList, fromPrivacyToken, fromSenderKey, fromSession } from './baileys-keys.ts';
import { toPair, toSignalKey } from './baileys-values.ts';
import type {
  BundleCredentials,
  BundleKeys,
  BundleSenderKeyState,
  BundleSessionState,
  Dropped,
  SessionBundle,
} from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import { KEY_SCHEMAS, MAX_KEYS } from './bundle-schema.ts';
import { LidMappings } from './lid-mappings.ts';
import { Field } from './schema.ts';

/** A key of Baileys' SignalKeyStore, with the type and the id that Baileys gives it. */
export interface BaileysKey {
  type: string;
  id: string;
  value: unknown;
}

export interface FromBaileysResult {
  credentials: BundleCredentials;
  keys: BundleKeys;
  dropped: Dropped[];
  /** Sentences for the operator. */
  warnings: string[];
}

/**
 * Id of the key in which Baileys lists all JIDs that have a privacy token. This key has the type of a token, `tctoken`.
 */
const TOKEN_INDEX = '__index';
/** Types of keys that are left out, with the reason for the operator. */
const DROPPED_TYPES: ReadonlyMap<string, string> = new Map([
  ['app-state-sync-version', 'The app state is synchronized again.'],
  ['sender-key-memory', 'Each group gets the sender key once more.'],
]);
/**
 * Types of keys that the bundle contains: the member of the bundle's `keys`, and the function that converts a value.
 * The function returns undefined for an empty key.
 */
const TAKEN_TYPES: ReadonlyMap<string, { member: keyof typeof KEY_SCHEMAS; convert: (value: unknown) => unknown }> =
  new Map([
    ['pre-key', { member: 'preKeys', convert: toPair }],
    ['session', { member: 'sessions', convert: fromSession }],
    ['sender-key', { member: 'senderKeys', convert: fromSenderKey }],
    ['identity-key', { member: 'identities', convert: toSignalKey }],
    ['app-state-sync-key', { member: 'appStateSyncKeys', convert: fromAppStateSyncKey }],
    ['tctoken', { member: 'privacyTokens', convert: fromPrivacyToken }],
    ['device-list', { member: 'deviceLists', convert: fromDeviceList }],
  ]);
const DAMAGED = 'The key is damaged.';
const UNKNOWN = 'The type is unknown.';
/** When `#dropped` has this many entries, further unknown types are counted together, as "other types". */
const MAX_UNKNOWN_TYPES = 50;

/** Collects keys, checks each, and counts the dropped ones. */
class KeyCollector {
  readonly keys: BundleKeys = {
    preKeys: Object.create(null),
    sessions: Object.create(null),
    senderKeys: Object.create(null),
    identities: Object.create(null),
    appStateSyncKeys: Object.create(null),
    lidMap: Object.create(null),
    privacyTokens: Object.create(null),
    deviceLists: Object.create(null),
  };
  /** The pairs of a phone number and a LID (an account id that hides the phone number). */
  readonly #mappings = new LidMappings();
  /** By type and reason. */
  readonly #dropped = new Map<string, Dropped>();
  /** Number of keys in `keys`, without the mappings. */
  #count = 0;

  add({ type, id, value }: BaileysKey): void {
    if (value === null || value === undefined || (type === 'tctoken' && id === TOKEN_INDEX)) return;
    const reason = DROPPED_TYPES.get(type);
    const taken = TAKEN_TYPES.get(type);
    if (reason) this.#drop(type, reason);
    else if (taken) this.#take(taken.member, { type, id, value: taken.convert(value) });
    else if (type !== 'lid-mapping') this.#dropUnknown(type);
    else if (!this.#mappings.add(id, value)) this.#drop(type, DAMAGED);
    // For each mapping, Baileys has two keys, one per direction. The bundle has one.
    if (this.#count + this.#mappings.size / 2 > MAX_KEYS)
      throw new BundleError('keys', `The session has more than ${MAX_KEYS} keys.`);
  }

  /** Completes `keys` after the last add(). Returns what was dropped. */
  finish(): Dropped[] {
    const { lidMap, contradictions } = this.#mappings.resolve();
    this.keys.lidMap = lidMap;
    if (contradictions > 0) this.#drop('lid-mapping', 'The mapping contradicts another one.', contradictions);
    return [...this.#dropped.values()];
  }

  /**
   * Checks a converted key and adds it to `keys`. Drops a damaged key. Ignores an empty key, whose value is undefined.
   */
  #take(member: keyof typeof KEY_SCHEMAS, { type, id, value }: BaileysKey): void {
    if (value === undefined) return;
    const schemas = KEY_SCHEMAS[member];
    const field = Field.ROOT.child('keys').child(member).child(id);
    try {
      schemas.name.read(id, field);
      const keys: Record<string, unknown> = this.keys[member];
      keys[id] = schemas.value.read(value, field);
      this.#count += 1;
    } catch (error) {
      if (!(error instanceof BundleError)) throw error;
      this.#drop(type, DAMAGED);
    }
  }

  #drop(type: string, reason: string, count = 1): void {
    const entry = this.#dropped.get(`${type}\n${reason}`);
    if (entry) entry.count += count;
    else this.#dropped.set(`${type}\n${reason}`, { type, count, reason });
  }

  #dropUnknown(type: string): void {
    const name = type.slice(0, 60).replace(/[^\w.-]/g, '?');
    const hasOwnEntry = this.#dropped.has(`${name}\n${UNKNOWN}`) || this.#dropped.size < MAX_UNKNOWN_TYPES;
    this.#drop(hasOwnEntry ? name : 'other types', UNKNOWN);
  }
}

/**
 * Converts a session of Baileys, and upgrades keys of Baileys 6 to the form of Baileys 7. `creds` and the values of
 * `keys` are as Baileys has them in memory, or parsed from JSON without a reviver. Keys with the value null or
 * undefined are ignored. Damaged keys and keys of unknown types are counted in `dropped`. Throws BundleError when the
 * session was never linked, when its credentials are damaged, or when it has too many keys.
 */
export function fromBaileys({
  creds,
  keys: source,
}: {
  creds: unknown;
  keys: Iterable<BaileysKey>;
}): FromBaileysResult {
  const credentials = fromBaileysCredentials(creds);
  const collector = new KeyCollector();
  for (const key of source) collector.add(key);
  const dropped = collector.finish();
  const { keys } = collector;
  const ownLid = credentials.me.lid?.split(/[:@]/, 1)[0];
  const warnings = isBaileys6(keys) ? upgradeBaileys6(keys, ownLid) : [];
  warnings.push(...repairCredentials(credentials, keys));
  return { credentials, keys, dropped, warnings };
}

/**
 * Raises the next pre-key id when the credentials are older than the keys. Removes the id of the app state key in use
 * when this key is not in the source, or was dropped as damaged. Returns warnings.
 */
function repairCredentials(credentials: BundleCredentials, { preKeys, appStateSyncKeys }: BundleKeys): string[] {
  const warnings: string[] = [];
  const { nextPreKeyId, firstUnuploadedPreKeyId, appStateKeyId } = credentials;
  const firstFreeId = Object.keys(preKeys).reduce((max, id) => Math.max(max, Number(id) + 1), firstUnuploadedPreKeyId);
  if (firstFreeId > nextPreKeyId) {
    credentials.nextPreKeyId = firstFreeId;
    warnings.push(
      `The credentials are older than the keys: the next pre-key id was raised from ${nextPreKeyId} to ${firstFreeId}.`,
    );
  }
  if (appStateKeyId !== undefined && !Object.hasOwn(appStateSyncKeys, appStateKeyId)) {
    delete credentials.appStateKeyId;
    warnings.push(
      'The app state key in use is damaged or missing: chats can be changed again when the phone shares a new key.',
    );
  }
  return warnings;
}

/**
 * Converts a bundle to credentials and keys as Baileys 7 has them in memory, with bytes as Buffer. The result shares no
 * objects with the bundle. The result lacks `nctSalt` (the salt of first-contact tokens), for which Baileys has no
 * place.
 */
export function toBaileys({ credentials, keys }: Pick<SessionBundle, 'credentials' | 'keys'>): {
  creds: Record<string, unknown>;
  keys: BaileysKey[];
} {
  return { creds: toBaileysCredentials(credentials), keys: [...toBaileysKeys(keys)] };
}

const mapMembers = <T, R>(members: Record<string, T>, convert: (member: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, convert(member)]));

/** A deep copy, several times as fast as structuredClone(). */
function copyState(state: BundleSessionState): BundleSessionState {
  const { currentRatchet: ratchet } = state;
  return {
    ...state,
    currentRatchet: { ...ratchet, ephemeralKeyPair: { ...ratchet.ephemeralKeyPair } },
    indexInfo: { ...state.indexInfo },
    _chains: mapMembers(state._chains, ({ chainKey, chainType, messageKeys }) => ({
      chainKey: { ...chainKey },
      chainType,
      messageKeys: { ...messageKeys },
    })),
    ...(state.pendingPreKey && { pendingPreKey: { ...state.pendingPreKey } }),
  };
}

const bufferOf = (value: string): Buffer => Buffer.from(value, 'base64');

function* toBaileysKeys(keys: BundleKeys): Generator<BaileysKey> {
  for (const [id, pair] of Object.entries(keys.preKeys))
    yield { type: 'pre-key', id, value: { private: bufferOf(pair.private), public: bufferOf(pair.public) } };
  for (const [id, { _sessions, version }] of Object.entries(keys.sessions))
    yield { type: 'session', id, value: { _sessions: mapMembers(_sessions, copyState), version } };
  for (const [id, states] of Object.entries(keys.senderKeys))
    yield { type: 'sender-key', id, value: Buffer.from(JSON.stringify(states.map(toBaileysSenderKeyState))) };
  for (const [id, value] of Object.entries(keys.identities)) yield { type: 'identity-key', id, value: bufferOf(value) };
  for (const [id, { keyData, fingerprint, timestamp }] of Object.entries(keys.appStateSyncKeys)) {
    const value = {
      keyData: bufferOf(keyData),
      fingerprint: structuredClone(fingerprint),
      timestamp: Number(timestamp),
    };
    yield { type: 'app-state-sync-key', id, value };
  }
  for (const [lid, number] of Object.entries(keys.lidMap)) {
    yield { type: 'lid-mapping', id: number, value: lid };
    yield { type: 'lid-mapping', id: `${lid}_reverse`, value: number };
  }
  for (const [id, { token, ...times }] of Object.entries(keys.privacyTokens))
    yield { type: 'tctoken', id, value: { token: bufferOf(token), ...times } };
  const tokenJids = Object.keys(keys.privacyTokens);
  if (tokenJids.length > 0)
    yield { type: 'tctoken', id: TOKEN_INDEX, value: { token: Buffer.from(JSON.stringify(tokenJids)) } };
  for (const [id, devices] of Object.entries(keys.deviceLists)) yield { type: 'device-list', id, value: [...devices] };
}

/**
 * Baileys writes this value as the private key in the sender keys of other people, because it lacks their private keys.
 * The gateway recognizes those sender keys by this value.
 */
const NO_PRIVATE_KEY = { type: 'Buffer', data: [] };

/**
 * Converts a state of a sender key, with which one device encrypts its messages to a group, to the form that Baileys
 * stores as JSON. In sender keys of this device, bytes become arrays of numbers, as Baileys writes them. In sender keys
 * of other people, bytes become base64, because Baileys 7 cannot use the seeds in `senderMessageKeys` (the keys of
 * messages that arrive late) as arrays.
 */
function toBaileysSenderKeyState(state: BundleSenderKeyState) {
  const { senderChainKey, senderSigningKey, senderMessageKeys } = state;
  const isOwn = senderSigningKey.private !== undefined;
  const toJsonBytes = (data: string) => (isOwn ? bufferOf(data) : { type: 'Buffer', data });
  return {
    senderKeyId: state.senderKeyId,
    senderChainKey: { iteration: senderChainKey.iteration, seed: toJsonBytes(senderChainKey.seed) },
    senderSigningKey: {
      public: toJsonBytes(senderSigningKey.public),
      private: senderSigningKey.private === undefined ? NO_PRIVATE_KEY : bufferOf(senderSigningKey.private),
    },
    senderMessageKeys: senderMessageKeys.map(({ iteration, seed }) => ({ iteration, seed: toJsonBytes(seed) })),
  };
}
