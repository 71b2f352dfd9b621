// ADV (WhatsApp's name): the signatures that prove that a companion (linked device) belongs to an account. The phone
// creates them. The server and other devices verify them.
import { createHmac, randomBytes } from 'node:crypto';
import {
  type AuthenticationCreds,
  Curve,
  generateRegistrationId,
  proto,
  WA_ADV_ACCOUNT_SIG_PREFIX,
  WA_ADV_DEVICE_SIG_PREFIX,
} from '@whiskeysockets/baileys';
import { isValidSignature, KEY_TYPE_BYTE, sign, withWrongBit } from '../crypto/signing.ts';
import { nextDeviceNumbers } from './device-numbers.ts';
import type { Account, Companion } from './model.ts';
import { lidJid, pnJid } from './world.ts';

/** The encryption type of all simulated accounts and devices: end to end. The other type is for hosted accounts. */
const E2EE = proto.ADVEncryptionType.E2EE;
/** Prefix of the signed bytes of a key index list, which is the signed list of an account's devices. */
const KEY_INDEX_LIST_PREFIX = Buffer.from([6, 2]);
/**
 * Number of one-time pre-keys that the server reports for a companion of provisionCompanion(), although the companion
 * has none. A client would upload keys if the server reported 5 or fewer.
 */
const EXTRA_REPORTED_PRE_KEYS = 30;

/**
 * Encodes the details that are signed (ADVDeviceIdentity): the account and the device's key index, which is the number
 * of the device in the key index list. `now` is in epoch seconds.
 */
function encodeDetails(account: Account, keyIndex: number, now: number): Uint8Array {
  return proto.ADVDeviceIdentity.encode({
    rawId: account.registrationId,
    timestamp: now,
    keyIndex,
    accountType: E2EE,
    deviceType: E2EE,
  }).finish();
}

/** The bytes that the phone signs. */
const accountMessage = (details: Uint8Array, companionIdentity: Uint8Array) =>
  Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, companionIdentity]);

/** The bytes that the companion signs. */
const deviceMessage = (details: Uint8Array, companionIdentity: Uint8Array, accountKey: Uint8Array) =>
  Buffer.concat([WA_ADV_DEVICE_SIG_PREFIX, details, companionIdentity, accountKey]);

export interface SignedDevice {
  /** The signed details: an encoded ADVDeviceIdentity. */
  details: Uint8Array;
  accountSignature: Uint8Array;
  /** The protobuf ADVSignedDeviceIdentityHMAC, which `<pair-success>` (the end of linking) contains. */
  encoded: Uint8Array;
}

/**
 * Signs a companion with the phone's key. `now` is in epoch seconds. `violations` make the signature or the HMAC wrong
 * on purpose.
 */
export function signDevice(
  account: Account,
  companion: { identity: Uint8Array; keyIndex: number; advSecret: Uint8Array },
  now: number,
  violations: { accountSignature?: boolean; hmac?: boolean } = {},
): SignedDevice {
  const details = encodeDetails(account, companion.keyIndex, now);
  const { public: accountSignatureKey, private: key } = account.identity();
  const validSignature = sign(key, accountMessage(details, companion.identity));
  const accountSignature = violations.accountSignature ? withWrongBit(validSignature) : validSignature;
  const signed = proto.ADVSignedDeviceIdentity.encode({ details, accountSignatureKey, accountSignature }).finish();
  const hmac = createHmac('sha256', companion.advSecret).update(signed).digest();
  const encoded = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: signed,
    hmac: violations.hmac ? withWrongBit(hmac) : hmac,
  }).finish();
  return { details, accountSignature, encoded };
}

/**
 * Whether the client's answer `<pair-device-sign>` contains the details and the account signature that signDevice()
 * returned, and a valid signature by the companion's identity key. Other clients get the answer as proof of the link.
 */
export function isDeviceSigned(
  account: Account,
  companionIdentity: Uint8Array,
  { details, accountSignature }: SignedDevice,
  answer: Uint8Array,
): boolean {
  const signed = decodeIdentity(answer);
  if (!signed?.details || !signed.accountSignature || !signed.deviceSignature) return false;
  if (!Buffer.from(signed.details).equals(details)) return false;
  if (!Buffer.from(signed.accountSignature).equals(accountSignature)) return false;
  const message = deviceMessage(details, companionIdentity, account.identity().public);
  return isValidSignature(companionIdentity, message, signed.deviceSignature);
}

/** Caches the last valid `identity` of each companion, because isValidDeviceIdentity() takes milliseconds. */
const verifiedIdentities = new WeakMap<Companion, Uint8Array>();

/**
 * Whether `identity` (an encoded ADVSignedDeviceIdentity, which is sent with the first message of a Signal session) has
 * valid signatures of both the account and the companion.
 */
export function isValidDeviceIdentity(companion: Companion, identity: Uint8Array): boolean {
  const verified = verifiedIdentities.get(companion);
  if (verified && Buffer.compare(verified, identity) === 0) return true;
  const signed = decodeIdentity(identity);
  const key = companion.account.identity().public;
  if (!signed?.details || !signed.accountSignature || !signed.deviceSignature) return false;
  const isAccountSigned = isValidSignature(
    key,
    accountMessage(signed.details, companion.identity),
    signed.accountSignature,
  );
  const message = deviceMessage(signed.details, companion.identity, key);
  if (!isAccountSigned || !isValidSignature(companion.identity, message, signed.deviceSignature)) return false;
  verifiedIdentities.set(companion, Uint8Array.from(identity));
  return true;
}

/**
 * Returns the signed list of the account's companions (an encoded ADVSignedKeyIndexList). Clients verify a device list
 * with the signed list. `now` is in epoch seconds.
 */
export function signKeyIndexList(account: Account, now: number): Uint8Array {
  const validIndexes = Array.from(account.companions.values(), ({ keyIndex }) => keyIndex);
  const { registrationId: rawId, lastKeyIndex: currentIndex } = account;
  const list = { rawId, timestamp: now, currentIndex, validIndexes, accountType: E2EE };
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
 * Creates a linked companion without a socket, for tests with hundreds of instances. Returns the credentials that the
 * client has after pairing and first sync, and the server's record, which the caller must add to the account. The
 * companion has no one-time pre-keys and no app state key. `now` is in epoch seconds. Throws RangeError when the
 * account has no free device number.
 */
export function provisionCompanion(
  account: Account,
  now: number,
): { creds: AuthenticationCreds; companion: Companion } {
  const numbers = nextDeviceNumbers(account);
  if (!numbers) throw new RangeError(`${account.number} cannot have more linked devices`);
  const { device, keyIndex } = numbers;
  const identity = Curve.generateKeyPair();
  const noise = Curve.generateKeyPair();
  const signedPreKey = Curve.generateKeyPair();
  const signature = sign(identity.private, Buffer.concat([KEY_TYPE_BYTE, signedPreKey.public]));
  const phoneKey = account.identity();
  const details = encodeDetails(account, keyIndex, now);
  const registrationId = generateRegistrationId();
  const lid = lidJid(account, device);
  const signatures = {
    accountSignature: sign(phoneKey.private, accountMessage(details, identity.public)),
    deviceSignature: sign(identity.private, deviceMessage(details, identity.public, phoneKey.public)),
  };
  const creds: AuthenticationCreds = {
    noiseKey: noise,
    pairingEphemeralKeyPair: Curve.generateKeyPair(),
    signedIdentityKey: identity,
    signedPreKey: { keyPair: signedPreKey, signature, keyId: 1 },
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
    account: { details, accountSignatureKey: phoneKey.public, ...signatures },
    signalIdentities: [
      { identifier: { name: lid, deviceId: 0 }, identifierKey: Buffer.concat([KEY_TYPE_BYTE, phoneKey.public]) },
    ],
    platform: 'android',
  };
  const companion: Companion = {
    account,
    device,
    keyIndex,
    noiseKey: noise.public,
    identity: identity.public,
    signedIdentity: proto.ADVSignedDeviceIdentity.encode({ details, ...signatures }).finish(),
    registrationId,
    signedPreKey: { id: 1, public: signedPreKey.public, signature },
    preKeys: [],
    extraReportedPreKeys: EXTRA_REPORTED_PRE_KEYS,
    connection: undefined,
    queue: [],
    queuedBytes: 0,
    syncStarted: true,
  };
  return { creds, companion };
}
