// The configuration of the global webhook, which receives the events of all instances in addition to the webhooks of
// the instances. The configuration comes from environment variables at every start. The secrets of earlier starts come
// from the store. Decision D-089.
import { GatewayError } from '../errors.ts';
import type { WebhookRow } from '../storage/webhook-stores.ts';
import { replaceSecret } from './secret-rotation.ts';
import { createWebhookSecret } from './signature.ts';
import { type CheckAddress, toCheckedConfig } from './webhook-settings.ts';

/** Id of the global webhook. */
export const GLOBAL_WEBHOOK = 'global';

export interface GlobalConfig {
  url: string;
  /** Subscription names; empty: all. */
  events: readonly string[];
  /** Whether the type of the event is appended to the URL. */
  byEvents: boolean;
  /** `whsec_…`. When absent, a secret is created once and stored. */
  secret?: string;
}

/** ms for which deliveries are also signed with the replaced secret. */
const SECRET_GRACE_MS = 24 * 3_600_000;

/**
 * Returns the webhook row for a configuration. `stored` is the row of an earlier start. The stored secret stays when
 * the configuration has no secret. When the configuration has another secret, deliveries are signed with both secrets
 * for SECRET_GRACE_MS. `check` throws for a forbidden URL. `now` is epoch ms. Throws an Error with a sentence for the
 * operator when the URL or an event is invalid.
 */
export function toGlobalWebhook(
  { url, events, byEvents, secret }: GlobalConfig,
  { stored, now, check }: { stored: WebhookRow | undefined; now: number; check?: CheckAddress },
): WebhookRow {
  const previous = stored ?? { secret: secret ?? createWebhookSecret(), createdAt: now };
  const secrets = secret === undefined ? previous : replaceSecret(previous, { secret, grace: SECRET_GRACE_MS, now });
  return {
    id: GLOBAL_WEBHOOK,
    instanceId: '',
    role: 'global',
    ...previous,
    ...secrets,
    ...rethrowForOperator(() => toCheckedConfig({ enabled: true, url, events, byEvents }, check)),
    updatedAt: now,
  };
}

function rethrowForOperator<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    const problem = [cause.responseMessage].flat().join(': ');
    throw new Error(`The global webhook (WEBHOOK_GLOBAL_URL) cannot be used: ${problem}`, { cause });
  }
}
