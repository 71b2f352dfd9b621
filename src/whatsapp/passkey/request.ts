// Reads WhatsApp's passkey request: the options of a WebAuthn assertion (a signature with the passkey). The result
// lacks unknown members, and malformed values of `timeout`, `transports` and `extensions`.
import { isObject } from '../../lib/json-object.ts';
import type { PasskeyRequest } from '../session.ts';
import { fromBase64Url, parseObject } from './json.ts';

/** The relying parties (domains that passkeys belong to) whose passkeys a page of web.whatsapp.com can use. */
const RELYING_PARTIES: readonly unknown[] = ['whatsapp.com', 'web.whatsapp.com'];
const VERIFICATIONS = ['required', 'preferred', 'discouraged'] as const;
/** Limits in bytes. */
const MAX_TEXT = 16_384;
const MIN_CHALLENGE = 16;
const MAX_CHALLENGE = 1024;
const MAX_CREDENTIAL_ID = 1023;
/** Maximum numbers of items of the lists. */
const MAX_CREDENTIALS = 64;
const MAX_TRANSPORTS = 8;
/** Maximum value of `timeout`, ms. Higher values are omitted. */
const MAX_TIMEOUT = 3_600_000;

/**
 * Reads the JSON text of a request. Returns undefined for malformed JSON, for a malformed `challenge`, `rpId`,
 * `userVerification` or `allowCredentials`, and for a request for passkeys of another website.
 */
export function readRequest(text: Buffer): PasskeyRequest | undefined {
  const options = text.length <= MAX_TEXT ? parseObject(text) : undefined;
  if (!options) return undefined;
  const { challenge, rpId, timeout, userVerification = 'preferred', allowCredentials = [], extensions } = options;
  const size = fromBase64Url(challenge)?.length ?? 0;
  if (typeof challenge !== 'string' || size < MIN_CHALLENGE || size > MAX_CHALLENGE) return undefined;
  if (typeof rpId !== 'string' || !RELYING_PARTIES.includes(rpId)) return undefined;
  const verification = VERIFICATIONS.find((each) => each === userVerification);
  const credentials = readCredentials(allowCredentials);
  if (!verification || !credentials) return undefined;
  const request: PasskeyRequest = { challenge, rpId, allowCredentials: credentials, userVerification: verification };
  if (typeof timeout === 'number' && timeout > 0 && timeout <= MAX_TIMEOUT) request.timeout = timeout;
  if (isObject(extensions)) request.extensions = extensions;
  return request;
}

function readCredentials(value: unknown): PasskeyRequest['allowCredentials'] | undefined {
  if (!Array.isArray(value) || value.length > MAX_CREDENTIALS) return undefined;
  const credentials: PasskeyRequest['allowCredentials'] = [];
  for (const item of value) {
    const { id, type, transports }: Record<string, unknown> = isObject(item) ? item : {};
    const size = fromBase64Url(id)?.length ?? 0;
    if (typeof id !== 'string' || type !== 'public-key' || size === 0 || size > MAX_CREDENTIAL_ID) return undefined;
    credentials.push(isTransportList(transports) ? { id, type, transports } : { id, type });
  }
  return credentials;
}

const isTransportList = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= MAX_TRANSPORTS &&
  value.every((item) => typeof item === 'string' && /^[\w-]{1,32}$/.test(item));
