// Who a post is from: Standard Webhooks signatures (HMAC-SHA256 over `id.timestamp.body`), and the token that some
// receivers ask for instead. Knows secrets, stores none.
import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookRow } from '../storage/webhook-stores.ts';

const PREFIX = 'whsec_';
/** What Standard Webhooks asks of a secret, bytes. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** Whether a caller's own secret is `whsec_` and the base64 of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
  // Buffer reads what is no base64 as far as it goes.
  return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES && PREFIX + bytes.toString('base64') === text;
}

/**
 * The secrets that sign a post at `now` (epoch ms): the current one, then those that were replaced and may still be in
 * use.
 */
export function signingSecrets({ secret, oldSecrets = [] }: Pick<WebhookRow, 'secret' | 'oldSecrets'>, now: number) {
  return [secret, ...oldSecrets.filter(({ until }) => until > now).map((old) => old.secret)];
}

export interface SignedContent {
  id: string;
  /** Seconds since the epoch, of this attempt. */
  timestamp: number;
  /** Exactly the bytes that are sent. */
  body: Buffer;
}

/**
 * The `webhook-signature` header: one `v1,<base64>` per secret, separated by spaces, so that a rotation has two live
 * secrets.
 */
export function sign(secrets: readonly string[], { id, timestamp, body }: SignedContent): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');
}

/** Seconds a token is good for, as with the gateways that receivers know it from. */
const TOKEN_LIFE = 600;

/**
 * A JSON Web Token (HS256) that says when it was made and that it is for a webhook. `timestamp` is seconds since the
 * epoch.
 */
export function createToken(key: string, timestamp: number): string {
  const claims = { iat: timestamp, exp: timestamp + TOKEN_LIFE, app: 'messaging-gateway', action: 'webhook' };
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims].map(encoded).join('.');
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
