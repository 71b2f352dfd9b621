// How one secret follows another: both sign for a while, so that a receiver can be told the new one without losing a
// post.
import type { WebhookRow } from '../storage/webhook-stores.ts';

type Secrets = Pick<WebhookRow, 'secret' | 'oldSecrets'>;

/** Replaced secrets that go on signing at most; the oldest goes first. */
const MAX_OLD = 4;

/**
 * `secret` signs from now on, the one before goes on for `grace` ms; 0 ends every older one at once. `now` is epoch ms.
 */
export function replaceSecret(
  { secret: before, oldSecrets = [] }: Secrets,
  { secret, grace, now }: { secret: string; grace: number; now: number },
): Secrets {
  const others = oldSecrets.filter((old) => old.until > now && old.secret !== secret);
  if (secret === before) return { secret, oldSecrets: others };
  if (grace === 0) return { secret, oldSecrets: [] };
  return { secret, oldSecrets: [{ secret: before, until: now + grace }, ...others].slice(0, MAX_OLD) };
}
