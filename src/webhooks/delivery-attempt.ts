// One attempt and its consequences: what outcome.ts decided becomes a settlement, the state of lane and endpoint, and a log line.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';
import { filterBody } from './chat-filter.ts';
import type { RetryRules } from './delivery-limits.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { type DeliveryDeps, deliver } from './delivery-request.ts';
import type { DeliveryWriter } from './delivery-writer.ts';
import type { FailingWebhooks } from './failing-since.ts';
import type { Lane } from './lane.ts';
import type { ReceiverHealth } from './receiver-health.ts';
import {
  type AttemptResult,
  isOwnFailure,
  isRejection,
  type RetryContext,
  type RetryDecision,
  toRetryDecision,
} from './retry-policy.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The `error` of a delivery whose stored body cannot be made into a post. */
const UNPROCESSABLE = 'UNPROCESSABLE';

export interface AttemptDeps extends DeliveryDeps {
  subscriptions: Pick<Subscriptions, 'disable'>;
  writer: Pick<DeliveryWriter, 'add'>;
  deliveryLog: Pick<DeliveryLog, 'add'>;
  failures: Pick<FailingWebhooks, 'recordFailure' | 'clear'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  rules: RetryRules;
  random: () => number;
  /** Hears of every attempt. */
  onPosted?: ((report: { outcome: RetryDecision['next']; status: number | null; ms: number }) => void) | undefined;
  /** What an instance is called in the log. */
  nameOf?: ((instanceId: string) => string | undefined) | undefined;
  /** The request that led to the event. */
  requestOf?: ((eventId: string) => string | undefined) | undefined;
}

export interface AttemptTarget {
  webhook: WebhookRow;
  receiver: ReceiverHealth;
  lane: Lane;
  delivery: Delivery;
}

/**
 * Tries the head of a lane once. An attempt broken off by our own shutdown leaves no trace. An event of which no post can be made is given
 * up: it would hold its lane for good.
 */
export async function attemptDelivery(target: AttemptTarget, deps: AttemptDeps): Promise<void> {
  try {
    await attemptOnce(target, deps);
  } catch (err) {
    const { id: webhook } = target.webhook;
    deps.log.error({ err, webhook, id: target.delivery.eventId }, 'webhook.post.failed');
    const outcome: RetryDecision = { next: 'dead', reason: UNPROCESSABLE, scope: 'event', disable: false };
    apply(target, { status: null, error: UNPROCESSABLE }, outcome, deps);
    deps.onPosted?.({ outcome: outcome.next, status: null, ms: 0 });
  }
}

async function attemptOnce(target: AttemptTarget, deps: AttemptDeps): Promise<void> {
  const { webhook, lane, delivery } = target;
  const started = deps.clock.now();
  if (started - delivery.createdAt >= deps.rules.expiry) {
    lane.removeHead(delivery);
    deps.writer.add({
      ...identify(delivery),
      outcome: 'dead',
      attempts: delivery.attempts,
      status: null,
      error: 'expired',
    });
    return;
  }
  // What was queued before the filter was set, or again, may not be wanted.
  const body = filterBody(webhook.chats, delivery.type, delivery.body);
  if (body === undefined) {
    lane.removeHead(delivery);
    deps.writer.add({ ...identify(delivery), outcome: 'delivered' });
    return;
  }
  const attempted = await deliver(webhook, { ...delivery, body }, deps);
  if (attempted.status === null && deps.signal.aborted) return;
  const witness = await accuser(target, attempted, deps);
  const outcome = toRetryDecision(attempted, { ...context(target, deps), ...(witness ? { isPoison: true } : {}) });
  apply(target, attempted, outcome, deps);
  tell(delivery, attempted, { outcome, started }, deps);
  if (witness) apply({ ...target, delivery: witness }, { status: 200, error: null }, { next: 'delivered' }, deps);
  if (outcome.next === 'dead' && outcome.disable) await disable(webhook, 'gone', deps);
  else if (outcome.next === 'delivered' || witness) deps.failures.clear(webhook.id);
  else if (deps.failures.recordFailure(webhook.id, attempted)) await disable(webhook, 'failing', deps);
}

/**
 * An event that fails for long while no other of its webhook is tried looks like a receiver that is down. Right behind its failure, the
 * next of its lane is tried: taken, it accuses the first, and is returned. Only the two attempts together prove anything, so the next is
 * not charged with a failure.
 */
async function accuser(
  { webhook, receiver: endpoint, lane, delivery }: AttemptTarget,
  { status }: AttemptResult,
  deps: AttemptDeps,
): Promise<Delivery | null> {
  const [head, next] = lane.window;
  const started = deps.clock.now();
  const isSuspect = isRejection(status)
    ? endpoint.isSuspectRejection(lane, started)
    : isOwnFailure(status) && endpoint.isSuspect(lane, started);
  if (head !== delivery || !next || !isSuspect) return null;
  const body = filterBody(webhook.chats, next.type, next.body);
  if (body === undefined) return null;
  const attempted = await deliver(webhook, { ...next, body }, deps);
  if (
    toRetryDecision(attempted, context({ webhook, receiver: endpoint, lane, delivery: next }, deps)).next !==
    'delivered'
  )
    return null;
  tell(next, attempted, { outcome: { next: 'delivered' }, started }, deps);
  return next;
}

function tell(
  { instanceId, webhookId, type, eventId, attempts }: Delivery,
  { status, error }: AttemptResult,
  { outcome, started }: { outcome: RetryDecision; started: number },
  { clock, log, onPosted, requestOf, nameOf }: AttemptDeps,
): void {
  const next = outcome.next === 'retry' ? new Date(outcome.at).toISOString() : outcome.next;
  const ms = clock.now() - started;
  const facts = {
    instance: nameOf?.(instanceId) ?? instanceId,
    webhook: webhookId,
    event: type,
    id: eventId,
    attempt: attempts + 1,
    requestId: requestOf?.(eventId),
  };
  log.info({ ...facts, code: status ?? error, ms, next }, 'webhook.attempted');
  onPosted?.({ outcome: outcome.next, status, ms });
}

function context(
  { receiver: endpoint, lane, delivery }: AttemptTarget,
  { clock, rules, random }: AttemptDeps,
): RetryContext {
  const now = clock.now();
  return {
    attempts: delivery.attempts + 1,
    rejections: endpoint.rejectionsOf(lane, now),
    isBreakerOpen: endpoint.isOpenAfterFailure(now),
    probes: endpoint.probesAfterFailure(lane),
    createdAt: delivery.createdAt,
    now,
    isPoison: endpoint.isPoison(lane, now),
    ...rules,
    random,
  };
}

function apply(
  { receiver: endpoint, lane, delivery }: AttemptTarget,
  { status, error }: Pick<AttemptResult, 'status' | 'error'>,
  outcome: RetryDecision,
  deps: AttemptDeps,
): void {
  const now = deps.clock.now();
  const attempts = delivery.attempts + 1;
  if (outcome.next === 'delivered') {
    lane.removeHead(delivery);
    deps.writer.add({ ...identify(delivery), outcome: 'delivered' });
    deps.deliveryLog.add(delivery, { status, at: now });
    endpoint.recordSuccess(now);
    return;
  }
  if (outcome.next === 'dead') {
    lane.removeHead(delivery);
    deps.writer.add({ ...identify(delivery), outcome: 'dead', attempts, status, error: error ?? outcome.reason });
  } else {
    lane.delayHead(delivery, { attempts, at: outcome.at, refused: outcome.scope === 'event' });
    lane.unsavedResult = { ...identify(delivery), outcome: 'retry', attempts, nextAt: outcome.at, status, error };
    // A write for each of the quick retries would cost more than what a crash in between forgets: how often the event was tried.
    if (!outcome.quick) writeUnsavedResults([lane], deps.writer);
    if (isRejection(status)) endpoint.recordRejection(lane, now);
  }
  if (outcome.scope === 'receiver') failed({ receiver: endpoint, lane }, { status, error }, outcome, deps);
  // An event that is to blame proves nothing about the receiver, except that it answers a probe.
  else if (endpoint.probeLane === lane) endpoint.markHealthy();
}

/** The receiver as a whole may be failing: counts for its breaker. */
function failed(
  { receiver: endpoint, lane }: Pick<AttemptTarget, 'receiver' | 'lane'>,
  { status, error }: Pick<AttemptResult, 'status' | 'error'>,
  outcome: Exclude<RetryDecision, { next: 'delivered' }>,
  { clock, log, nameOf, writer: settler }: AttemptDeps,
): void {
  const now = clock.now();
  const wasOpen = endpoint.probeAt !== null;
  const { at, pause } = outcome.next === 'retry' ? outcome : { at: now, pause: false };
  if (outcome.next === 'retry') endpoint.recordHeadFailure(lane, now);
  endpoint.recordFailure(lane, { at, now, pause, isRefused: isRejection(status) });
  if (wasOpen || endpoint.probeAt === null) return;
  writeUnsavedResults(endpoint.lanes.values(), settler);
  const instance = nameOf?.(endpoint.instanceId) ?? endpoint.instanceId;
  const until = new Date(endpoint.probeAt).toISOString();
  const { id: webhook, failures } = endpoint;
  log.warn({ instance, webhook, failures, code: status ?? error, until }, 'webhook.paused');
}

/** Hands results that are only in memory to the settler. */
export function writeUnsavedResults(lanes: Iterable<Lane>, settler: Pick<DeliveryWriter, 'add'>): void {
  for (const lane of lanes) {
    const unsaved = lane.takeUnsavedResult();
    if (unsaved) settler.add(unsaved);
  }
}

function identify({ webhookId, seq }: Delivery): { webhookId: string; seq: number } {
  return { webhookId, seq };
}

async function disable(
  { id, instanceId }: WebhookRow,
  reason: 'gone' | 'failing',
  { subscriptions, log, nameOf }: AttemptDeps,
): Promise<void> {
  log.warn({ instance: nameOf?.(instanceId) ?? instanceId, webhook: id, reason }, 'webhook.disabled');
  await subscriptions.disable(id).catch((err: unknown) => log.error({ err, webhook: id }, 'webhook.disable_failed'));
}
