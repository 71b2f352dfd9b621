// Reads and writes the stanzas of linking with a passkey, and computes the keys in them. The protocol names this flow
// "Shortcake" and CRSC. The order of the stanzas and the values in them come from the code of other clients, and were
// never compared with the real server.
import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type AuthenticationCreds, bytesToCrockford, Curve, proto } from './library.ts';
import { childOf, type Stanza } from './stanza.ts';

/** Event of the WebSocket client: WhatsApp asks for an assertion of the account's passkey. */
export const PASSKEY_REQUESTED = 'CB:notification,type:passkey_prologue_request';
/** Event of the WebSocket client: the phone answers the prologue (the client's first message of the key agreement). */
export const PASSKEY_CONTINUED = 'CB:notification,type:crsc_continuation';

const SERVER = '@s.whatsapp.net';
/** Values of `info` in the HKDF key derivations. */
const HANDOFF_INFO = 'shortcake-passkey-handoff-v1';
const ENCRYPTION_INFO = 'Pairing Information Encryption Key';
/** Sizes in bytes. A nonce has KEY_SIZE too. */
const KEY_SIZE = 32;
const IV_SIZE = 12;
/** Number of bytes that the confirmation code shows. */
const CODE_BYTES = 5;
/** Maximum length of the reference that the server issues, in characters. */
const MAX_REF_LENGTH = 1024;

/** The owner's assertion, in the form in which WhatsApp gets it. */
export interface PasskeyAssertion {
  credentialId: Uint8Array;
  json: string;
}

/**
 * This client's first message of the key agreement (`payload`), and the values that it was created from. `payload`
 * contains a commitment to `nonce`: a hash that proves later that this client did not change the nonce.
 */
export interface Prologue {
  payload: Uint8Array;
  privateKey: Uint8Array;
  nonce: Uint8Array;
  /** The result of platformTypeOf(). */
  deviceType: number;
  /** The reference that the server issued for this linking. */
  ref: string;
}

/** The ephemeral key of the phone (the primary device) and the phone's part of the confirmation code (`nonce`). */
export interface PrimaryIdentity {
  publicKey: Uint8Array;
  nonce: Uint8Array;
}

/** True when the stanza comes from the server itself, whose address can lack the `@`. */
export const isFromServer = ({ attrs }: Stanza): boolean => attrs.from === SERVER || attrs.from === SERVER.slice(1);

/**
 * Returns the JSON text of the passkey request in a notification or an answer, as bytes; undefined when there is none.
 */
export const requestTextOf = (stanza: Stanza): Buffer | undefined =>
  bytesOf(childOf(stanza, 'passkey_request_options'));

/** Returns the phone's answer in a notification; undefined when it is malformed. */
export function primaryIdentityOf(stanza: Stanza): PrimaryIdentity | undefined {
  const bytes = bytesOf(childOf(stanza, 'primary_ephemeral_identity'));
  if (!bytes) return undefined;
  try {
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes);
    return publicKey?.length === KEY_SIZE && nonce?.length === KEY_SIZE ? { publicKey, nonce } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the ack of a notification. Baileys itself sends this ack only when `creds.me` is set. Before the pairing,
 * only requestPairingCode() sets `creds.me`.
 */
export const ackOf = ({ attrs }: Stanza): Stanza => ({
  tag: 'ack',
  attrs: { id: attrs.id ?? '', class: 'notification', to: attrs.from ?? SERVER, type: attrs.type ?? '' },
});

/** Returns the query for another passkey request. */
export const requestQuery = (): Stanza => toQuery('get', { tag: 'passkey_request_options', attrs: {} });

/** Returns the query for the reference (`ref`) that a prologue must contain. */
export const refQuery = (): Stanza => toQuery('get', { tag: 'ref', attrs: {} });

/** Returns the reference in the answer; undefined when there is none. */
export function refOf(answer: Stanza): string | undefined {
  const ref = bytesOf(childOf(answer, 'ref'))?.toString();
  return ref && ref.length <= MAX_REF_LENGTH ? ref : undefined;
}

/** Returns the platform type that Baileys registers for a browser name. The protocol also names it device type. */
export function platformTypeOf(browser: string): number {
  const { PlatformType } = proto.DeviceProps;
  const name = browser.toUpperCase();
  if (name === 'ANDROID') return PlatformType.ANDROID_PHONE;
  const entry = Object.entries(PlatformType).find(([key]) => key === name);
  return Number(entry?.[1] ?? 0) || PlatformType.CHROME;
}

/** Derives the key that later proves that this client knows `advSecret` (base64), the secret in the QR code. */
export const deriveHandoffKey = (advSecret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(advSecret, 'base64'), '', HANDOFF_INFO, KEY_SIZE));

/** Creates a secret in the form of `advSecretKey` in Baileys' credentials. */
export const createAdvSecret = (): string => randomBytes(KEY_SIZE).toString('base64');

/** Creates the keys, the nonce and the payload of a prologue. */
export function createPrologue(ref: string, deviceType: number): Prologue {
  const { public: publicKey, private: privateKey } = Curve.generateKeyPair();
  const nonce = randomBytes(KEY_SIZE);
  const identity = proto.CompanionEphemeralIdentity.encode({ publicKey, deviceType, ref }).finish();
  const hash = createHash('sha256').update(identity).update(nonce).digest();
  const payload = proto.ProloguePayload.encode({ companionEphemeralIdentity: identity, commitment: { hash } }).finish();
  return { payload, privateKey, nonce, deviceType, ref };
}

/**
 * Returns the query with the assertion, the prologue and the proof that this client knows the secret in the QR code.
 */
export function prologueQuery({ payload }: Prologue, assertion: PasskeyAssertion, handoffKey: Uint8Array): Stanza {
  const proof = createHmac('sha256', handoffKey).update(payload).digest();
  return toQuery('set', {
    tag: 'passkey_prologue',
    attrs: {},
    content: [
      { tag: 'credential_id', attrs: {}, content: assertion.credentialId },
      { tag: 'webauthn_assertion', attrs: {}, content: Buffer.from(assertion.json) },
      { tag: 'prologue_payload', attrs: {}, content: payload },
      { tag: 'pairing_handoff_proof', attrs: {}, content: proof },
    ],
  });
}

/** Returns the query that reveals the nonce of the prologue. */
export const nonceQuery = ({ nonce }: Prologue): Stanza =>
  toQuery('set', { tag: 'companion_nonce', attrs: {}, content: nonce });

/** Computes the code that this client and the phone show, `XXXX-XXXX`. */
export function confirmationCodeOf({ nonce }: Prologue, primary: PrimaryIdentity): string {
  const digest = createHash('sha256').update(nonce).update(primary.publicKey).digest();
  const bytes = primary.nonce.slice(0, CODE_BYTES).map((byte, index) => byte ^ (digest[index] ?? 0));
  const code = bytesToCrockford(Buffer.from(bytes));
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Returns the query with the keys of this client and its new secret, encrypted for the phone. */
export function pairingRequestQuery(
  { noiseKey, signedIdentityKey, advSecretKey }: AuthenticationCreds,
  { privateKey, deviceType, ref }: Prologue,
  primary: PrimaryIdentity,
): Stanza {
  const request = proto.PairingRequest.encode({
    companionPublicKey: noiseKey.public,
    companionIdentityKey: signedIdentityKey.public,
    advSecret: Buffer.from(advSecretKey, 'base64'),
  }).finish();
  const shared = Curve.sharedKey(privateKey, primary.publicKey);
  const salt = `Companion Pairing ${deviceType} with ref ${ref}`;
  const key = Buffer.from(hkdfSync('sha256', shared, salt, ENCRYPTION_INFO, KEY_SIZE));
  const iv = randomBytes(IV_SIZE);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
  const content = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
  return toQuery('set', { tag: 'encrypted_pairing_request', attrs: {}, content });
}

const toQuery = (type: 'get' | 'set', child: Stanza): Stanza => ({
  tag: 'iq',
  attrs: { to: SERVER, type, xmlns: 'md' },
  content: [child],
});

/** Returns the content of a stanza as bytes; undefined when it has child elements or no content. */
function bytesOf(stanza: Stanza | undefined): Buffer | undefined {
  const content = stanza?.content;
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : undefined;
}
