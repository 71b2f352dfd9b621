// The global webhook: it gets the events of every instance beside their own webhooks, and is set by the operator's
// environment. Only its secret is the store's, so that it survives a restart.
import { GatewayError } from '../errors.ts';
import type { WebhookRow } from '../storage/webhook-stores.ts';
import { replaceSecret } from './secret-rotation.ts';
import { createSecret } from './signature.ts';
import { type CheckUrl, toCheckedConfig } from './webhook-settings.ts';

/** Its id; it has no instance. */
export const GLOBAL_WEBHOOK = 'global';

export interface GlobalConfig {
  url: string;
  /** Subscription names; none means all. */
  events: readonly string[];
  byEvents: boolean;
  /** `whsec_…`; without it one is made once and kept. */
  secret?: string;
}

/** ms that a secret which the environment replaced goes on signing. */
const GRACE = 24 * 3_600_000;

/**
 * The row for this configuration, with what `stored` knows of the secrets. Throws Error, with a sentence for the
 * operator, when the address or an event cannot be used.
 */
export function toGlobalWebhook(
  { url, events, byEvents, secret }: GlobalConfig,
  { stored, now, check }: { stored: WebhookRow | undefined; now: number; check?: CheckUrl },
): WebhookRow {
  const known = stored ?? { secret: secret ?? createSecret(), createdAt: now };
  const secrets = secret === undefined ? known : replaceSecret(known, { secret, grace: GRACE, now });
  return {
    ...{ id: GLOBAL_WEBHOOK, instanceId: '', role: 'global', ...known, ...secrets },
    ...orSentence(() => toCheckedConfig({ enabled: true, url, events, byEvents }, check)),
    updatedAt: now,
  };
}

function orSentence<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    throw new Error(`The global webhook (WEBHOOK_GLOBAL_URL) cannot be used: ${[cause.body].flat().join(': ')}`, {
      cause,
    });
  }
}
