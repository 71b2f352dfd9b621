// One attempt and its consequences: what outcome.ts decided becomes a settlement, the state of lane and endpoint, and a log line.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Delivery, WebhookRow } from '../storage/storage.ts';
import { type Courier, deliver } from './deliver.ts';
import type { Endpoint, Lane } from './endpoint.ts';
import { type Attempted, type Context, type Outcome, toOutcome } from './outcome.ts';
import type { Settler } from './settler.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface AttemptDeps extends Courier {
  subscriptions: Pick<Subscriptions, 'disable'>;
  settler: Pick<Settler, 'add'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  schedule: readonly number[];
  /** ms. */
  expiry: number;
  random: () => number;
}

export interface Target {
  webhook: WebhookRow;
  endpoint: Endpoint;
  lane: Lane;
  delivery: Delivery;
}

/** Tries the head of a lane once. An attempt broken off by our own shutdown leaves no trace. */
export async function attempt(target: Target, deps: AttemptDeps): Promise<void> {
  const { webhook, lane, delivery } = target;
  const started = deps.clock.now();
  if (started - delivery.createdAt >= deps.expiry) {
    lane.shift(delivery);
    deps.settler.add({
      ...identify(delivery),
      outcome: 'dead',
      attempts: delivery.attempts,
      status: null,
      error: 'expired',
    });
    return;
  }
  const attempted = await deliver(webhook, delivery, deps);
  if (attempted.status === null && deps.signal.aborted) return;
  const outcome = toOutcome(attempted, context(target, deps));
  apply(target, attempted, outcome, deps);
  deps.log.info(
    {
      instance: webhook.instanceId,
      event: delivery.type,
      id: delivery.eventId,
      attempt: delivery.attempts + 1,
      code: attempted.status ?? attempted.error,
      ms: deps.clock.now() - started,
      next: outcome.next === 'retry' ? new Date(outcome.at).toISOString() : outcome.next,
    },
    'webhook.attempted',
  );
  if (outcome.next === 'dead' && outcome.disable) await disable(webhook, deps);
}

function context({ endpoint, lane, delivery }: Target, { clock, schedule, expiry, random }: AttemptDeps): Context {
  const now = clock.now();
  return {
    attempts: delivery.attempts + 1,
    failures: endpoint.failures,
    createdAt: delivery.createdAt,
    now,
    poisonous: endpoint.isPoisoned(lane, now),
    schedule,
    expiry,
    random,
  };
}

function apply(
  { endpoint, lane, delivery }: Target,
  { status, error }: Attempted,
  outcome: Outcome,
  deps: AttemptDeps,
): void {
  const now = deps.clock.now();
  const attempts = delivery.attempts + 1;
  if (outcome.next === 'delivered') {
    lane.shift(delivery);
    endpoint.tally.succeeded++;
    deps.settler.add({ ...identify(delivery), outcome: 'delivered' });
  } else if (outcome.next === 'dead') {
    lane.shift(delivery);
    deps.settler.add({ ...identify(delivery), outcome: 'dead', attempts, status, error: error ?? outcome.reason });
  } else {
    lane.hold(delivery, { attempts, at: outcome.at, refused: outcome.scope === 'event' });
    deps.settler.add({ ...identify(delivery), outcome: 'retry', attempts, nextAt: outcome.at, status, error });
  }
  if (outcome.next === 'delivered' || outcome.scope === 'event') {
    endpoint.heal();
  } else {
    const wasOpen = endpoint.probeAt !== null;
    if (outcome.next === 'retry') endpoint.noteFailure(lane, now);
    endpoint.fail(lane, outcome.next === 'retry' ? outcome.at : now, outcome.next === 'retry' && outcome.pause);
    if (!wasOpen && endpoint.probeAt !== null) {
      const until = new Date(endpoint.probeAt).toISOString();
      deps.log.warn(
        { instance: endpoint.instanceId, webhook: endpoint.id, failures: endpoint.failures, until },
        'webhook.paused',
      );
    }
  }
}

function identify({ webhookId, seq }: Delivery): { webhookId: string; seq: number } {
  return { webhookId, seq };
}

async function disable({ id, instanceId }: WebhookRow, { subscriptions, log }: AttemptDeps): Promise<void> {
  log.warn({ instance: instanceId, webhook: id }, 'webhook.disabled');
  await subscriptions.disable(id).catch((err: unknown) => log.error({ err, webhook: id }, 'webhook.disable_failed'));
}
