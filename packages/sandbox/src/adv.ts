// Signatures and keys that authenticate a companion to its account (ADV): created by the phone, verified by the
// platform.
import { createHmac, randomBytes } from 'node:crypto';
import {
  type AuthenticationCreds,
  Curve,
  generateRegistrationId,
  proto,
  WA_ADV_ACCOUNT_SIG_PREFIX,
  WA_ADV_DEVICE_SIG_PREFIX,
} from '@whiskeysockets/baileys';
import type { Account, Companion } from './model.ts';
import { isValidSignature, KEY_TYPE_BYTE, sign, withWrongBit } from './signing.ts';
import { lidJid, pnJid } from './world.ts';

const E2EE = proto.ADVEncryptionType.E2EE;
/** What a signature over a list of key indexes begins with. */
const KEY_INDEX_LIST_PREFIX = Buffer.from([6, 2]);
/** What a provisioned companion is said to have uploaded; clients upload more at 5 and below. */
const CLAIMED_PRE_KEYS = 30;

/** What the phone signs over: who the device is within its account. */
function encodeDetails(account: Account, keyIndex: number, now: number): Uint8Array {
  return proto.ADVDeviceIdentity.encode({
    rawId: account.registrationId,
    timestamp: now,
    keyIndex,
    accountType: E2EE,
    deviceType: E2EE,
  }).finish();
}

const accountMessage = (details: Uint8Array, companionIdentity: Uint8Array) =>
  Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, companionIdentity]);

const deviceMessage = (details: Uint8Array, companionIdentity: Uint8Array, accountKey: Uint8Array) =>
  Buffer.concat([WA_ADV_DEVICE_SIG_PREFIX, details, companionIdentity, accountKey]);

export interface SignedDevice {
  details: Uint8Array;
  /** Encoded ADVSignedDeviceIdentityHMAC for `<pair-success>`. */
  encoded: Uint8Array;
}

/** The phone vouches for a companion. `now` in seconds; `foul` breaks one proof on purpose. */
export function signDevice(
  account: Account,
  companion: { identity: Uint8Array; keyIndex: number; advSecret: Uint8Array },
  now: number,
  violations: { accountSignature?: boolean; hmac?: boolean } = {},
): SignedDevice {
  const details = encodeDetails(account, companion.keyIndex, now);
  const { public: accountSignatureKey, private: key } = account.identity();
  const honest = sign(key, accountMessage(details, companion.identity));
  const accountSignature = violations.accountSignature ? withWrongBit(honest) : honest;
  const signed = proto.ADVSignedDeviceIdentity.encode({ details, accountSignatureKey, accountSignature }).finish();
  const hmac = createHmac('sha256', companion.advSecret).update(signed).digest();
  const wire = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: signed,
    hmac: violations.hmac ? withWrongBit(hmac) : hmac,
  });
  return { details, encoded: wire.finish() };
}

/**
 * True when the client's `<pair-device-sign>` answer repeats `details` and is signed by the companion's identity key.
 */
export function isDeviceSigned(
  account: Account,
  companionIdentity: Uint8Array,
  details: Uint8Array,
  answer: Uint8Array,
): boolean {
  const signed = decodeIdentity(answer);
  if (!signed?.details || !signed.deviceSignature) return false;
  if (!Buffer.from(signed.details).equals(details)) return false;
  const message = deviceMessage(details, companionIdentity, account.identity().public);
  return isValidSignature(companionIdentity, message, signed.deviceSignature);
}

const verifiedIdentities = new WeakMap<Companion, Uint8Array>();

/**
 * True when `identity` (an encoded ADVSignedDeviceIdentity, as it accompanies the first message of a session) shows
 * that the account vouched for this companion and the companion agreed. What was checked once is remembered.
 */
export function isValidDeviceIdentity(companion: Companion, identity: Uint8Array): boolean {
  const existing = verifiedIdentities.get(companion);
  if (existing && Buffer.compare(existing, identity) === 0) return true;
  const signed = decodeIdentity(identity);
  const key = companion.account.identity().public;
  if (!signed?.details || !signed.accountSignature || !signed.deviceSignature) return false;
  const vouched = isValidSignature(key, accountMessage(signed.details, companion.identity), signed.accountSignature);
  const message = deviceMessage(signed.details, companion.identity, key);
  if (!vouched || !isValidSignature(companion.identity, message, signed.deviceSignature)) return false;
  verifiedIdentities.set(companion, Uint8Array.from(identity));
  return true;
}

/**
 * The phone's word on which companions it has (encoded ADVSignedKeyIndexList), for those who check a device list. `now`
 * in seconds.
 */
export function signKeyIndexList(account: Account, now: number): Uint8Array {
  const validIndexes = Array.from(account.companions.values(), ({ keyIndex }) => keyIndex);
  const currentIndex = account.nextDevice - 1;
  const list = { rawId: account.registrationId, timestamp: now, currentIndex, validIndexes, accountType: E2EE };
  const details = proto.ADVKeyIndexList.encode(list).finish();
  const { public: accountSignatureKey, private: key } = account.identity();
  const accountSignature = sign(key, Buffer.concat([KEY_INDEX_LIST_PREFIX, details]));
  return proto.ADVSignedKeyIndexList.encode({ details, accountSignature, accountSignatureKey }).finish();
}

function decodeIdentity(bytes: Uint8Array): proto.ADVSignedDeviceIdentity | undefined {
  try {
    return proto.ADVSignedDeviceIdentity.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Links a companion without a socket: the credentials it would hold after pairing and first sync, and the platform's
 * side of it. It has no one-time pre-keys and no app state key. For tests with hundreds of instances.
 */
export function provisionCompanion(
  account: Account,
  now: number,
): { creds: AuthenticationCreds; companion: Companion } {
  const device = account.nextDevice++;
  const identity = Curve.generateKeyPair();
  const noise = Curve.generateKeyPair();
  const preKey = Curve.generateKeyPair();
  const signature = sign(identity.private, Buffer.concat([KEY_TYPE_BYTE, preKey.public]));
  const phone = account.identity();
  const details = encodeDetails(account, device, now);
  const registrationId = generateRegistrationId();
  const lid = lidJid(account, device);
  const creds: AuthenticationCreds = {
    noiseKey: noise,
    pairingEphemeralKeyPair: Curve.generateKeyPair(),
    signedIdentityKey: identity,
    signedPreKey: { keyPair: preKey, signature, keyId: 1 },
    registrationId,
    advSecretKey: randomBytes(32).toString('base64'),
    processedHistoryMessages: [],
    nextPreKeyId: 1,
    firstUnuploadedPreKeyId: 1,
    accountSyncCounter: 1,
    accountSettings: { unarchiveChats: false },
    registered: false,
    pairingCode: undefined,
    lastPropHash: undefined,
    routingInfo: undefined,
    additionalData: undefined,
    me: { id: pnJid(account, device), lid, name: account.name },
    account: {
      details,
      accountSignatureKey: phone.public,
      accountSignature: sign(phone.private, accountMessage(details, identity.public)),
      deviceSignature: sign(identity.private, deviceMessage(details, identity.public, phone.public)),
    },
    signalIdentities: [
      { identifier: { name: lid, deviceId: 0 }, identifierKey: Buffer.concat([KEY_TYPE_BYTE, phone.public]) },
    ],
    platform: 'android',
  };
  const companion: Companion = {
    account,
    device,
    keyIndex: device,
    noiseKey: noise.public,
    identity: identity.public,
    registrationId,
    signedPreKey: { id: 1, public: preKey.public, signature },
    preKeys: [],
    claimedPreKeys: CLAIMED_PRE_KEYS,
    connection: undefined,
    queue: [],
    synced: true,
  };
  return { creds, companion };
}
