// The schema of the session bundle: the type of every field, and limits of its size or value. Reference of the fields:
// docs/reference/session-bundle.md. The limits are far above what WhatsApp uses. They bound the work that a hostile
// bundle causes.
import { isObject } from '../lib/json-object.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleAppStateSyncKey,
  type BundleChain,
  type BundleCredentials,
  type BundleInstance,
  type BundleKeyPair,
  type BundleKeys,
  type BundlePrivacyToken,
  type BundleSenderKeyState,
  type BundleSession,
  type BundleSessionState,
  type SessionBundle,
} from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import { countKeys } from './key-counts.ts';
import {
  boolean,
  bytes,
  choice,
  Field,
  type FieldSchema,
  integer,
  list,
  object,
  optional,
  pattern,
  type RecordOptions,
  record,
  refine,
  signalKey,
  text,
} from './schema.ts';

/** Maximum number of keys of all types together. */
export const MAX_KEYS = 100_000;
const UINT24 = 2 ** 24 - 1;
const UINT32 = 2 ** 32 - 1;
/** The latest time of a Date, in epoch ms. Times in epoch seconds have the same limit. */
const MAX_TIME = 8.64e15;

const key = bytes(32);
const signature = bytes(64);
const uint32 = integer(0, UINT32);
const time = integer(0, MAX_TIME);
const digits = pattern(/^\d{1,16}$/, 'up to 16 decimal digits');
const user = pattern(/^\d{1,20}$/, 'a phone number or a LID in digits');
/** A Signal address: `<user>[_<domain>].<device>`. */
const address = pattern(/^\d{1,20}(?:_\d{1,3})?\.\d{1,5}$/, 'an address such as 4915112345678.0');
const keyPair: FieldSchema<BundleKeyPair> = object<BundleKeyPair>({ private: key, public: key });

/** A member name that consists of digits: a whole number up to `max`, without leading zeros. */
const numberName = (max: number): FieldSchema<string> =>
  refine(pattern(/^(?:0|[1-9]\d{0,9})$/, 'named by a number'), (value, field) => {
    if (Number(value) > max) field.fail(`must be named by a number up to ${max}`);
  });

/** ISO 8601 in UTC. */
const instant = refine(pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/, 'a time in UTC'), (value, field) => {
  if (Number.isNaN(Date.parse(value))) field.fail('must be a time in UTC');
});

const chain: FieldSchema<BundleChain> = object<BundleChain>({
  chainKey: object<BundleChain['chainKey']>({ counter: integer(-1, UINT32), key: optional(key) }),
  // 1: sending chain, 2: receiving chain.
  chainType: choice(1, 2),
  messageKeys: record({ name: numberName(UINT32), value: key, maxSize: 10_000 }),
});

const sessionState: FieldSchema<BundleSessionState> = object<BundleSessionState>({
  registrationId: uint32,
  currentRatchet: object<BundleSessionState['currentRatchet']>({
    ephemeralKeyPair: object<BundleSessionState['currentRatchet']['ephemeralKeyPair']>({
      pubKey: signalKey,
      privKey: key,
    }),
    lastRemoteEphemeralKey: signalKey,
    // Number of the last message in the previous sending chain; -1 if that chain had no messages.
    previousCounter: integer(-1, UINT32),
    rootKey: key,
  }),
  indexInfo: object<BundleSessionState['indexInfo']>({
    baseKey: signalKey,
    // 1: this side has started the session, 2: the other side has.
    baseKeyType: choice(1, 2),
    // The time at which the state was closed; -1 for an open state.
    closed: integer(-1, MAX_TIME),
    used: time,
    created: time,
    remoteIdentityKey: signalKey,
  }),
  // Up to 100,000 chains, because libsignal never removes closed chains.
  _chains: record({ name: signalKey, value: chain, maxSize: 100_000 }),
  pendingPreKey: optional(
    object<NonNullable<BundleSessionState['pendingPreKey']>>({
      signedKeyId: uint32,
      preKeyId: optional(uint32),
      baseKey: signalKey,
    }),
  ),
});

/**
 * Fails unless each state is named by its base key and at most one state is open. libsignal looks a state up by its
 * base key, and sends with the first open state. In error texts, a state is called a session.
 */
function assertStates({ _sessions: states }: BundleSession, field: Field): void {
  let openCount = 0;
  for (const [name, { indexInfo }] of Object.entries(states)) {
    if (indexInfo.baseKey !== name) field.child('_sessions').child(name).fail('must be named by its base key');
    if (indexInfo.closed === -1) openCount += 1;
  }
  if (openCount > 1) field.fail('must have at most one open session');
}

const session: FieldSchema<BundleSession> = refine(
  object<BundleSession>({
    version: choice('v1'),
    _sessions: record({ name: signalKey, value: sessionState, maxSize: 100 }),
  }),
  assertStates,
);

const senderKeyState: FieldSchema<BundleSenderKeyState> = object<BundleSenderKeyState>({
  senderKeyId: uint32,
  senderChainKey: object<BundleSenderKeyState['senderChainKey']>({ iteration: uint32, seed: key }),
  senderSigningKey: object<BundleSenderKeyState['senderSigningKey']>({ public: signalKey, private: optional(key) }),
  senderMessageKeys: list(
    object<BundleSenderKeyState['senderMessageKeys'][number]>({ iteration: uint32, seed: key }),
    10_000,
  ),
});

/** `<group JID>::<user>[_<domain>]::<device>`. */
const SENDER_KEY_NAME = /^(?:[\d-]{1,64}@(?:g\.us|broadcast)|status@broadcast)::\d{1,20}(?:_\d{1,3})?::\d{1,5}$/;

/** For each member of BundleKeys that is a record: the schemas of its names and values. */
type KeySchemas = {
  [K in keyof BundleKeys]-?: NonNullable<BundleKeys[K]> extends Record<string, infer T> ? RecordOptions<T> : never;
};

/** The schemas of the names and values in each member of `keys`, except `nctSalt`, which is a single value. */
export const KEY_SCHEMAS: Omit<KeySchemas, 'nctSalt'> = {
  preKeys: { name: numberName(UINT24), value: keyPair, maxSize: MAX_KEYS },
  sessions: { name: address, value: session, maxSize: MAX_KEYS },
  senderKeys: {
    name: pattern(SENDER_KEY_NAME, 'named by a group and an address'),
    value: list(senderKeyState, 20),
    maxSize: MAX_KEYS,
  },
  identities: { name: address, value: signalKey, maxSize: MAX_KEYS },
  appStateSyncKeys: {
    name: bytes(1, 64),
    value: object<BundleAppStateSyncKey>({
      keyData: bytes(1, 256),
      fingerprint: object<BundleAppStateSyncKey['fingerprint']>({
        rawId: uint32,
        currentIndex: uint32,
        deviceIndexes: list(uint32, 1000),
      }),
      timestamp: digits,
    }),
    maxSize: MAX_KEYS,
  },
  lidMap: { name: user, value: user, maxSize: MAX_KEYS },
  privacyTokens: {
    name: pattern(/^\d{1,20}@(?:lid|s\.whatsapp\.net|hosted|hosted\.lid)$/, 'named by a JID'),
    value: object<BundlePrivacyToken>({
      token: bytes(0, 4096),
      timestamp: optional(digits),
      senderTimestamp: optional(time),
    }),
    maxSize: MAX_KEYS,
  },
  deviceLists: { name: user, value: list(pattern(/^\d{1,5}$/, 'a device number'), 1000), maxSize: MAX_KEYS },
};

const keyMembers: FieldSchema<BundleKeys> = object<BundleKeys>({
  preKeys: record(KEY_SCHEMAS.preKeys),
  sessions: record(KEY_SCHEMAS.sessions),
  senderKeys: record(KEY_SCHEMAS.senderKeys),
  identities: record(KEY_SCHEMAS.identities),
  appStateSyncKeys: record(KEY_SCHEMAS.appStateSyncKeys),
  lidMap: record(KEY_SCHEMAS.lidMap),
  privacyTokens: record(KEY_SCHEMAS.privacyTokens),
  deviceLists: record(KEY_SCHEMAS.deviceLists),
  nctSalt: optional(bytes(1, 1024)),
});

const keys: FieldSchema<BundleKeys> = {
  read(value, field) {
    // This check comes before those of `keyMembers`, which take 2 s for 100,000 keys.
    if (typeof value === 'object' && value !== null && countKeys(value) > MAX_KEYS)
      field.fail(`must have at most ${MAX_KEYS} keys of all types together`);
    return keyMembers.read(value, field);
  },
  paths: () => keyMembers.paths(),
};

export const CREDENTIALS_SCHEMA: FieldSchema<BundleCredentials> = object<BundleCredentials>({
  me: object<BundleCredentials['me']>({
    id: pattern(/^\d{1,20}:\d{1,5}@s\.whatsapp\.net$/, 'a JID such as 4915112345678:7@s.whatsapp.net'),
    lid: optional(pattern(/^\d{1,20}(?::\d{1,5})?@lid$/, 'a JID such as 123456789012345:7@lid')),
    name: optional(text(1000)),
  }),
  registrationId: uint32,
  noiseKey: keyPair,
  identityKey: keyPair,
  signedPreKey: object<BundleCredentials['signedPreKey']>({
    id: integer(0, UINT24),
    private: key,
    public: key,
    signature,
  }),
  advSecret: key,
  account: object<BundleCredentials['account']>({
    details: bytes(1, 1024),
    accountSignatureKey: key,
    accountSignature: signature,
    deviceSignature: signature,
  }),
  // After the pre-key with the highest id, these ids are one more than the maximum.
  nextPreKeyId: integer(0, UINT24 + 1),
  firstUnuploadedPreKeyId: integer(0, UINT24 + 1),
  appStateKeyId: optional(bytes(1, 64)),
  platform: optional(text(100)),
  routingInfo: optional(bytes(1, 4096)),
  lastPropHash: optional(text(200)),
  lastAccountSyncTimestamp: optional(time),
  accountSyncCounter: optional(uint32),
  unarchiveChats: optional(boolean),
});

export const INSTANCE_SCHEMA: FieldSchema<BundleInstance> = object<BundleInstance>({
  name: text(200, 1),
  token: optional(text(255, 1)),
  number: optional(user),
  settings: optional(
    object<NonNullable<BundleInstance['settings']>>({
      rejectCall: optional(boolean),
      msgCall: optional(text(4096)),
      groupsIgnore: optional(boolean),
      alwaysOnline: optional(boolean),
      readMessages: optional(boolean),
      readStatus: optional(boolean),
      syncFullHistory: optional(boolean),
      readChannels: optional(boolean),
    }),
  ),
  proxy: optional(
    object<NonNullable<BundleInstance['proxy']>>({
      protocol: choice('http', 'https', 'socks5'),
      host: text(253, 1),
      port: integer(1, 65535),
      username: optional(text(255)),
      password: optional(text(255)),
    }),
  ),
  webhook: optional(
    object<NonNullable<BundleInstance['webhook']>>({
      enabled: boolean,
      url: text(2048),
      headers: optional(record({ name: text(8192, 1), value: text(8192), maxSize: 100 })),
      events: optional(list(text(100), 100)),
      byEvents: optional(boolean),
      base64: optional(boolean),
    }),
  ),
});

export const BUNDLE_SCHEMA: FieldSchema<SessionBundle> = object<SessionBundle>({
  format: choice(BUNDLE_FORMAT),
  version: choice(BUNDLE_VERSION),
  createdAt: instant,
  source: text(200, 1),
  instance: INSTANCE_SCHEMA,
  credentials: CREDENTIALS_SCHEMA,
  keys,
});

/**
 * Throws BundleError when `value` is not an object, has another `format`, or has a later `version`. Call this function
 * before other checks, because a later version may have other fields.
 */
export function assertFormat(value: unknown): asserts value is Record<string, unknown> {
  if (!isObject(value)) return Field.ROOT.fail('must be an object');
  if (value.format !== BUNDLE_FORMAT) throw new BundleError('format', `The field format must be "${BUNDLE_FORMAT}".`);
  if (typeof value.version === 'number' && Number.isInteger(value.version) && value.version > BUNDLE_VERSION)
    throw new BundleError('version', 'The bundle was written by a newer release, which this one cannot read.');
}
