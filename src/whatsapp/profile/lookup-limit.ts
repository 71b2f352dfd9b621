// Limits the number of lookups of people and groups per minute. WhatsApp bans accounts for bulk lookups. Decision
// D-095.
import { GatewayError } from '../../errors.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import type { Session } from '../session.ts';

/**
 * Takes `count` tokens of the instance. Throws INVALID_REQUEST when the bucket can never hold `count` tokens, and
 * RATE_LIMITED when fewer tokens are left.
 */
export function takeLookupTokens({ instanceId }: Session, bucket: TokenBucket, count: number): void {
  if (count > bucket.limit) {
    const sentence = `The request has ${count} uncached numbers: at most ${bucket.limit} can be looked up in a minute`;
    throw new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });
  }
  const waitMs = bucket.take(instanceId, count);
  if (waitMs === 0) return;
  const sentence = `At most ${bucket.limit} uncached numbers can be looked up in a minute; no lookup was made`;
  throw new GatewayError('RATE_LIMITED', [sentence], { certain: true, retryAfter: Math.ceil(waitMs / 1000) });
}
