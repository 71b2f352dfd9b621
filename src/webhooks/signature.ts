// Signs deliveries: with the signature of Standard Webhooks (HMAC-SHA256 over `id.timestamp.body`), and with a JSON Web
// Token as in Evolution API. Decisions D-029 and D-092.
import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookRow } from '../storage/webhook-stores.ts';

const PREFIX = 'whsec_';
/** Limits of the length of a secret, as in Standard Webhooks. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** Returns a new secret: `whsec_` and 32 random bytes in base64. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** Returns whether the text is `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
  // Buffer ignores invalid characters, so the encoded bytes are compared with the text.
  return (
    bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES && PREFIX + bytes.toString('base64') === text
  );
}

/**
 * Returns the secrets that sign at `now` (epoch ms): the current one, then the replaced ones that are in their grace
 * period.
 */
export function signingSecretsOf(
  { secret, oldSecrets = [] }: Pick<WebhookRow, 'secret' | 'oldSecrets'>,
  now: number,
): string[] {
  return [secret, ...oldSecrets.filter(({ until }) => until > now).map((old) => old.secret)];
}

export interface SignedContent {
  id: string;
  /** Time of the attempt, seconds since the epoch. */
  timestamp: number;
  /** The exact bytes of the request body. */
  body: Buffer;
}

/**
 * Returns the `webhook-signature` header: one `v1,<base64>` per secret, separated by spaces. The key of a signature is
 * the base64 part of the secret.
 */
export function sign(secrets: readonly string[], { id, timestamp, body }: SignedContent): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');
}

/** Lifetime of a JSON Web Token in seconds, as in Evolution API. */
const TOKEN_LIFETIME_SECONDS = 600;

/**
 * Returns a JSON Web Token, signed with `key` (HS256). The key is the value of `jwt_key` in the configured headers of
 * the webhook. `timestamp` is the time of issue in seconds since the epoch.
 */
export function createToken(key: string, timestamp: number): string {
  const claims = {
    iat: timestamp,
    exp: timestamp + TOKEN_LIFETIME_SECONDS,
    app: 'messaging-gateway',
    action: 'webhook',
  };
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims].map(toBase64Url).join('.');
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

const toBase64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
