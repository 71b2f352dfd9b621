// Checks the WebAuthn assertion of the account's owner (the answer that the browser signs with the passkey) before it
// is sent to WhatsApp. Everything is checked that can be checked without the public key of the passkey, so that
// WhatsApp never gets a malformed assertion or an assertion for another website.
import { createHash } from 'node:crypto';
import { GatewayError, invalidRequestError } from '../../errors.ts';
import { isObject } from '../../lib/json-object.ts';
import type { PasskeyAssertion } from '../baileys/passkey-stanzas.ts';
import type { PasskeyRequest } from '../session.ts';
import { fromBase64Url, parseObject } from './json.ts';

/** The only website whose assertions WhatsApp accepts. */
const ORIGIN = 'https://web.whatsapp.com';

/** Limits in bytes. The authenticator data have at least a hash (32), the flags (1) and a counter (4). */
const MAX_CREDENTIAL_ID = 1023;
const MAX_CLIENT_DATA = 4096;
const MIN_AUTHENTICATOR_DATA = 37;
const MAX_AUTHENTICATOR_DATA = 2048;
const MIN_SIGNATURE = 8;
const MAX_SIGNATURE = 1024;
const MAX_USER_HANDLE = 64;

/** Bits of the flags in the authenticator data. */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const HAS_EXTENSIONS = 0x80;
const KNOWN_FLAGS = USER_PRESENT | USER_VERIFIED | BACKUP_ELIGIBLE | BACKED_UP | HAS_EXTENSIONS;

const invalidError = (field: string, problem: string) => invalidRequestError(`${field} ${problem}`);

/**
 * Reads an assertion in the JSON form of `PublicKeyCredential.toJSON()` and returns what is sent to WhatsApp. Throws
 * INVALID_REQUEST, which names the field, and PASSKEY_WRONG_ORIGIN for an assertion of another website.
 */
export function readAssertion(value: unknown, request: PasskeyRequest): PasskeyAssertion {
  if (!isObject(value)) throw invalidError('body', 'must be the JSON of a PublicKeyCredential');
  const { id, rawId, type, response } = value;
  const credentialId = bytesOf('rawId', rawId, 1, MAX_CREDENTIAL_ID);
  if (id !== rawId) throw invalidError('id', 'must be the same as rawId');
  if (type !== 'public-key') throw invalidError('type', 'must be "public-key"');
  const isAllowed = request.allowCredentials.length === 0 || request.allowCredentials.some((each) => each.id === rawId);
  if (!isAllowed) throw invalidError('rawId', 'is not one of the passkeys in the request');
  if (!isObject(response)) throw invalidError('response', 'must be an object');
  const { userHandle = null } = response;
  checkClientData(bytesOf('response.clientDataJSON', response.clientDataJSON, 1, MAX_CLIENT_DATA), request);
  checkAuthenticatorData(
    bytesOf('response.authenticatorData', response.authenticatorData, MIN_AUTHENTICATOR_DATA, MAX_AUTHENTICATOR_DATA),
    request,
  );
  // Of these two fields, only the form is checked.
  bytesOf('response.signature', response.signature, MIN_SIGNATURE, MAX_SIGNATURE);
  if (userHandle !== null) bytesOf('response.userHandle', userHandle, 1, MAX_USER_HANDLE);
  const { clientDataJSON, authenticatorData, signature } = response;
  const json = { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } };
  return { credentialId, json: JSON.stringify(json) };
}

/** Decodes the base64url text of a field. Throws INVALID_REQUEST unless it has `min` to `max` bytes. */
function bytesOf(field: string, value: unknown, min: number, max: number): Buffer {
  const bytes = fromBase64Url(value);
  if (!bytes) throw invalidError(field, 'must be base64url without padding');
  if (bytes.length < min || bytes.length > max) throw invalidError(field, `must have ${min} to ${max} bytes`);
  return bytes;
}

/** Checks what the browser signed: the kind of the operation, the challenge, and the website. */
function checkClientData(bytes: Buffer, request: PasskeyRequest): void {
  const field = 'response.clientDataJSON';
  const client = parseObject(bytes);
  if (!client) throw invalidError(field, 'must contain a JSON object');
  if (client.type !== 'webauthn.get') throw invalidError(`${field}.type`, 'must be "webauthn.get"');
  if (client.origin !== ORIGIN || client.crossOrigin === true || client.topOrigin !== undefined) {
    const sentence = `The assertion was not made on ${ORIGIN}. The owner must make it there, in an own tab.`;
    throw new GatewayError('PASSKEY_WRONG_ORIGIN', [sentence], { certain: true });
  }
  if (client.challenge !== request.challenge) throw invalidError(`${field}.challenge`, 'is of another request');
}

/** Checks what the authenticator signed: the relying party, and that the owner was present and verified. */
function checkAuthenticatorData(bytes: Buffer, { rpId, userVerification }: PasskeyRequest): void {
  const field = 'response.authenticatorData';
  const rpIdHash = createHash('sha256').update(rpId).digest();
  if (!bytes.subarray(0, rpIdHash.length).equals(rpIdHash)) throw invalidError(field, `is not for ${rpId}`);
  const flags = bytes.readUInt8(rpIdHash.length);
  const hasFlag = (flag: number) => (flags & flag) !== 0;
  const hasExtraData = bytes.length > MIN_AUTHENTICATOR_DATA;
  // All flags are known, extra data and their flag go together, and only an eligible passkey is backed up.
  const isConsistent =
    !hasFlag(~KNOWN_FLAGS) &&
    hasFlag(HAS_EXTENSIONS) === hasExtraData &&
    (!hasFlag(BACKED_UP) || hasFlag(BACKUP_ELIGIBLE));
  if (!isConsistent) throw invalidError(field, 'has flags that do not fit');
  if (!hasFlag(USER_PRESENT)) throw invalidError(field, 'says that the owner was not present');
  if (userVerification === 'required' && !hasFlag(USER_VERIFIED))
    throw invalidError(field, 'says that the owner was not verified (PIN, fingerprint or face)');
}
