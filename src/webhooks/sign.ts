// Standard Webhooks signatures: HMAC-SHA256 over `id.timestamp.body`. Knows secrets, stores none.
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

export interface Signed {
  id: string;
  /** Seconds since the epoch, of this attempt. */
  timestamp: number;
  /** Exactly the bytes that are sent. */
  body: Buffer;
}

/** The `webhook-signature` header: one `v1,<base64>` per secret, separated by spaces, so that a rotation has two live secrets. */
export function sign(secrets: readonly string[], { id, timestamp, body }: Signed): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');
}
