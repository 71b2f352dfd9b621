// Replaces the secret of a webhook. For a grace period deliveries are signed with the old and the new secret, so that
// the receiver can switch without rejecting a delivery. Decision D-090.
import type { WebhookRow } from '../storage/webhook-stores.ts';

type Secrets = Pick<WebhookRow, 'secret' | 'oldSecrets'>;

/** Maximum number of replaced secrets that still sign; the oldest is dropped first. */
const MAX_OLD_SECRETS = 4;

/**
 * Returns the secrets after `secret` became the current one. The previous secret continues to sign for `grace` ms. If
 * `grace` is 0, all old secrets end at once. If `secret` is the current one already and `grace` is not 0, the old
 * secrets stay. `now` is epoch ms.
 */
export function replaceSecret(
  { secret: previous, oldSecrets = [] }: Secrets,
  { secret, grace, now }: { secret: string; grace: number; now: number },
): Secrets {
  if (grace === 0) return { secret, oldSecrets: [] };
  const others = oldSecrets.filter((old) => old.until > now && old.secret !== secret);
  if (secret === previous) return { secret, oldSecrets: others };
  return { secret, oldSecrets: [{ secret: previous, until: now + grace }, ...others].slice(0, MAX_OLD_SECRETS) };
}
