// Verifies WebAuthn assertions (signatures with a passkey) as the server of a website does.
import { createHash, type KeyObject, verify } from 'node:crypto';

/** Maximum size of an assertion as JSON. */
const MAX_JSON_BYTES = 8192;
/**
 * Minimum size of authenticator data in bytes: the hash of the relying party id (32), the flags (1) and the counter
 * (4). Extensions can follow.
 */
const MIN_AUTHENTICATOR_DATA_SIZE = 37;
/** Bits of the flags. */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

/** What an assertion must prove. */
export interface AssertionRequest {
  challenge: Buffer;
  /** Id of the relying party: the domain for which the passkey is registered. */
  rpId: string;
  /** Origin of the page that requested the assertion. */
  origin: string;
}

export interface Assertion {
  /** Credential id, base64url without padding. */
  id: string;
  clientData: Buffer;
  authenticatorData: Buffer;
  signature: Buffer;
}

/** Decodes base64url without padding; undefined for anything else, including an empty text. */
export function fromBase64Url(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.toString('base64url') === value ? bytes : undefined;
}

function toObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads an assertion in the JSON form of `PublicKeyCredential.toJSON()`; undefined when it is malformed. */
export function readAssertion(json: Buffer): Assertion | undefined {
  const credential = json.length <= MAX_JSON_BYTES ? toObject(json.toString()) : undefined;
  const { id, rawId, type, response } = credential ?? {};
  if (type !== 'public-key' || id !== rawId || typeof response !== 'object' || response === null) return undefined;
  const fields: Record<string, unknown> = { ...response };
  const clientData = fromBase64Url(fields.clientDataJSON);
  const authenticatorData = fromBase64Url(fields.authenticatorData);
  const signature = fromBase64Url(fields.signature);
  const hasUserHandle = fields.userHandle !== undefined && fields.userHandle !== null;
  if (hasUserHandle && !fromBase64Url(fields.userHandle)) return undefined;
  if (!fromBase64Url(id) || !clientData || !authenticatorData || !signature) return undefined;
  return { id: String(id), clientData, authenticatorData, signature };
}

/**
 * Verifies an assertion with the public key of its passkey. Returns what is wrong with the assertion, or the number of
 * signatures that the authenticator reports. The flags must say that the user was present and was verified.
 */
export function verifyAssertion(
  { clientData, authenticatorData, signature }: Assertion,
  { challenge, rpId, origin }: AssertionRequest,
  publicKey: KeyObject,
): { problem: string } | { signCount: number } {
  const client = toObject(clientData.toString());
  if (client?.type !== 'webauthn.get') return { problem: 'type' };
  if (!fromBase64Url(client.challenge)?.equals(challenge)) return { problem: 'challenge' };
  if (client.origin !== origin || client.crossOrigin === true) return { problem: 'origin' };
  if (authenticatorData.length < MIN_AUTHENTICATOR_DATA_SIZE) return { problem: 'authenticator data' };
  if (!authenticatorData.subarray(0, 32).equals(sha256(rpId))) return { problem: 'relying party' };
  const flags = authenticatorData.readUInt8(32);
  if (!(flags & USER_PRESENT) || !(flags & USER_VERIFIED)) return { problem: 'flags' };
  const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
  if (!verify('sha256', signed, publicKey, signature)) return { problem: 'signature' };
  return { signCount: authenticatorData.readUInt32BE(33) };
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
