// Converts the credentials of Baileys (AuthenticationCreds) from and to the session bundle, which is the format in
// which a linked session moves between programs.
import { generateKeyPairSync } from 'node:crypto';
import { isObject } from '../lib/json-object.ts';
import {
  emptyToUndefined,
  membersOf,
  toBase64,
  toBytes,
  toNumber,
  toPair,
  withKeyType,
  withoutKeyType,
} from './baileys-values.ts';
import type { Base64, BundleCredentials, BundleKeyPair } from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import { CREDENTIALS_SCHEMA } from './bundle-schema.ts';
import { Field } from './schema.ts';

/** The text as the schema of the bundle accepts it: without control characters, at most 1000 characters long. */
const toCleanText = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .replace(/\p{Cc}/gu, '')
        .slice(0, 1000)
        // slice() can cut a surrogate pair in half.
        .toWellFormed()
    : undefined;

// The next three functions convert optional members: a session works without them. An invalid value becomes undefined.
// A text or bytes above the length limit of CREDENTIALS_SCHEMA are invalid.

const toOptionalText = (value: unknown, maxLength: number): unknown =>
  typeof value === 'string' && value.length <= maxLength ? toCleanText(value) : undefined;

const toOptionalUint32 = (value: unknown): unknown => {
  const number = toNumber(value);
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 && number < 2 ** 32
    ? number
    : undefined;
};

const toOptionalBytes = (value: unknown): unknown => {
  const bytes = toBytes(value);
  return bytes && bytes.length > 0 && bytes.length <= 4096 ? bytes.toString('base64') : undefined;
};

/**
 * Converts the credentials of Baileys 6 or 7 and checks them. `creds` is as Baileys has it in memory, or parsed from
 * JSON. Throws BundleError when the session was never linked, or when the credentials are damaged.
 */
export function fromBaileysCredentials(creds: unknown): BundleCredentials {
  const field = Field.ROOT.child('credentials');
  if (!isObject(creds)) return field.fail('must be an object');
  for (const name of ['me', 'account'] as const) {
    if (!isObject(creds[name]))
      throw new BundleError(`credentials.${name}`, `The session was never linked: its credentials have no "${name}".`);
  }
  const me = membersOf(creds.me);
  const account = membersOf(creds.account);
  const signedPreKey = membersOf(creds.signedPreKey);
  const { unarchiveChats } = membersOf(creds.accountSettings);
  const candidate = {
    me: { id: me.id, lid: emptyToUndefined(me.lid), name: toCleanText(me.name) },
    registrationId: toNumber(creds.registrationId),
    noiseKey: toPair(creds.noiseKey),
    identityKey: toPair(creds.signedIdentityKey),
    signedPreKey: {
      id: toNumber(signedPreKey.keyId),
      ...toPair(signedPreKey.keyPair),
      signature: toBase64(signedPreKey.signature),
    },
    advSecret: toBase64(creds.advSecretKey),
    account: {
      details: toBase64(account.details),
      accountSignatureKey: withoutKeyType(account.accountSignatureKey),
      accountSignature: toBase64(account.accountSignature),
      deviceSignature: toBase64(account.deviceSignature),
    },
    nextPreKeyId: toNumber(creds.nextPreKeyId),
    firstUnuploadedPreKeyId: toNumber(creds.firstUnuploadedPreKeyId),
    appStateKeyId: emptyToUndefined(creds.myAppStateKeyId),
    platform: toOptionalText(creds.platform, 100),
    routingInfo: toOptionalBytes(creds.routingInfo),
    lastPropHash: toOptionalText(creds.lastPropHash, 200),
    lastAccountSyncTimestamp: toOptionalUint32(creds.lastAccountSyncTimestamp),
    accountSyncCounter: toOptionalUint32(creds.accountSyncCounter),
    unarchiveChats: typeof unarchiveChats === 'boolean' ? unarchiveChats : undefined,
  };
  return CREDENTIALS_SCHEMA.read(candidate, field);
}

const bufferOf = (value: Base64): Buffer => Buffer.from(value, 'base64');
const toBaileysPair = (pair: BundleKeyPair) => ({ private: bufferOf(pair.private), public: bufferOf(pair.public) });

/** A new X25519 key pair. Baileys uses it for pairing codes only, which a linked session does not need. */
function createKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('x25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  // The raw keys are the last 32 bytes of both encodings.
  return { private: privateKey.subarray(-32), public: publicKey.subarray(-32) };
}

/**
 * Returns the credentials as Baileys 7 has them in memory. Members that the bundle does not contain are empty: Baileys
 * needs them for linking only, or sets them again.
 */
export function toBaileysCredentials(credentials: BundleCredentials): Record<string, unknown> {
  const { me, signedPreKey, account, routingInfo } = credentials;
  const accountSignatureKey = bufferOf(account.accountSignatureKey);
  return {
    noiseKey: toBaileysPair(credentials.noiseKey),
    pairingEphemeralKeyPair: createKeyPair(),
    signedIdentityKey: toBaileysPair(credentials.identityKey),
    signedPreKey: {
      keyPair: toBaileysPair(signedPreKey),
      signature: bufferOf(signedPreKey.signature),
      keyId: signedPreKey.id,
    },
    registrationId: credentials.registrationId,
    advSecretKey: credentials.advSecret,
    me: { ...me },
    account: {
      details: bufferOf(account.details),
      accountSignatureKey,
      accountSignature: bufferOf(account.accountSignature),
      deviceSignature: bufferOf(account.deviceSignature),
    },
    signalIdentities: [
      {
        identifier: { name: me.lid ?? me.id, deviceId: 0 },
        identifierKey: withKeyType(accountSignatureKey),
      },
    ],
    myAppStateKeyId: credentials.appStateKeyId,
    processedHistoryMessages: [],
    nextPreKeyId: credentials.nextPreKeyId,
    firstUnuploadedPreKeyId: credentials.firstUnuploadedPreKeyId,
    lastAccountSyncTimestamp: credentials.lastAccountSyncTimestamp,
    accountSyncCounter: credentials.accountSyncCounter ?? 0,
    accountSettings: { unarchiveChats: credentials.unarchiveChats ?? false },
    platform: credentials.platform,
    registered: true,
    pairingCode: undefined,
    lastPropHash: credentials.lastPropHash,
    routingInfo: routingInfo === undefined ? undefined : bufferOf(routingInfo),
    additionalData: undefined,
  };
}
