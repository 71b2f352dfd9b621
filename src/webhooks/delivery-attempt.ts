// Makes one attempt to deliver an event and applies its result: passes the result to the store, updates the state of
// the lane (a queue of the webhook) and of the receiver, and writes the log line.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { AttemptRecord, Delivery, WebhookRow } from '../storage/webhook-stores.ts';
import { filterBody } from './chat-filter.ts';
import type { Lane } from './delivery-lane.ts';
import type { RetryRules } from './delivery-limits.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { type DeliveryDeps, deliver } from './delivery-request.ts';
import type { DeliveryWriter } from './delivery-writer.ts';
import type { FailingWebhooks } from './failing-webhooks.ts';
import type { ReceiverHealth } from './receiver-health.ts';
import {
  type AttemptResult,
  isRejection,
  isServerError,
  isSuccess,
  type RetryContext,
  type RetryDecision,
  toRetryDecision,
} from './retry-policy.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The error code of a delivery whose stored body cannot be turned into a request. */
const UNPROCESSABLE = 'UNPROCESSABLE';

export interface AttemptDeps extends DeliveryDeps {
  subscriptions: Pick<Subscriptions, 'byId' | 'disable'>;
  writer: Pick<DeliveryWriter, 'add'>;
  deliveryLog: Pick<DeliveryLog, 'add'>;
  failures: Pick<FailingWebhooks, 'recordFailure' | 'clear'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  rules: RetryRules;
  random: () => number;
  /** Called after every attempt, for metrics. */
  onAttempted?: ((report: { outcome: RetryDecision['next']; status: number | null; ms: number }) => void) | undefined;
  /** Returns the name of an instance, for the log. */
  nameOf?: ((instanceId: string) => string | undefined) | undefined;
  /** Returns the id of the API request that caused the event, for the log. */
  requestOf?: ((eventId: string) => string | undefined) | undefined;
}

export interface AttemptTarget {
  webhook: WebhookRow;
  receiver: ReceiverHealth;
  lane: Lane;
  delivery: Delivery;
}

/** The delivery after the head, and the result of its successful attempt. */
interface DeliveredNext {
  delivery: Delivery;
  result: AttemptResult;
}

/**
 * Attempts to deliver the head (the first delivery) of a lane, once. Stores no result when the shutdown aborts the
 * attempt, or when the attempt fails and the webhook was changed or removed in the meantime. A delivery whose body
 * cannot be processed is given up (dead) at once, because it would block its lane forever.
 */
export async function attemptDelivery(target: AttemptTarget, deps: AttemptDeps): Promise<void> {
  try {
    await attemptOnce(target, deps);
  } catch (err) {
    const { id: webhook } = target.webhook;
    deps.log.error({ err, webhook, id: target.delivery.eventId }, 'webhook.delivery.failed');
    const decision: RetryDecision = { next: 'dead', reason: UNPROCESSABLE, scope: 'event', disable: false };
    applyDecision(target, { status: null, error: UNPROCESSABLE }, decision, deps);
    deps.onAttempted?.({ outcome: decision.next, status: null, ms: 0 });
  }
}

async function attemptOnce(target: AttemptTarget, deps: AttemptDeps): Promise<void> {
  const { webhook, lane, delivery } = target;
  const startedAt = deps.clock.now();
  if (startedAt - delivery.createdAt >= deps.rules.maxAge) {
    lane.removeHead(delivery);
    deps.writer.add({
      ...toKey(delivery),
      outcome: 'dead',
      attempts: delivery.attempts,
      status: null,
      error: 'expired',
    });
    return;
  }
  // The chat filter was possibly changed after the delivery was queued. A delivery that no longer passes the filter is
  // settled without a request.
  const body = filterBody(webhook.chats, delivery.type, delivery.body);
  if (body === undefined) {
    lane.removeHead(delivery);
    deps.writer.add({ ...toKey(delivery), outcome: 'delivered' });
    return;
  }
  const result = await deliver(webhook, withBody(delivery, body), deps);
  const ms = deps.clock.now() - startedAt;
  if (result.status === null && deps.signal.aborted) return;
  /** Whether the attempt failed, and the webhook was changed or removed in the meantime. */
  const isOutdatedFailure = () => !isSuccess(result.status) && deps.subscriptions.byId(webhook.id) !== webhook;
  const deliveredNext = isOutdatedFailure() ? null : await tryNextDelivery(target, result, deps);
  const recordNext = ({ delivery: next, result: nextResult }: DeliveredNext): void =>
    applyDecision({ ...target, delivery: next }, nextResult, { next: 'delivered' }, deps);
  // Checked again, because the webhook can also change during tryNextDelivery().
  if (isOutdatedFailure()) {
    // The failure says nothing about the changed webhook, so it is only logged. The change itself made the head due.
    const decision: RetryDecision = { next: 'retry', at: deps.clock.now(), scope: 'event', pausesReceiver: false };
    logAttempt(delivery, result, { decision, ms }, deps);
    if (deliveredNext) {
      recordNext(deliveredNext);
      // The next delivery is behind the head, so recordNext() has not removed it from the window (the deliveries that
      // the lane has read ahead from the store).
      lane.dropWindow();
      lane.makeDue();
    }
    return;
  }
  const context = toRetryContext(target, deps);
  // The success of the next delivery proves that the head is poison: an event that the receiver cannot process.
  const decision = toRetryDecision(result, deliveredNext ? { ...context, isPoison: true } : context);
  applyDecision(target, result, decision, deps);
  logAttempt(delivery, result, { decision, ms }, deps);
  if (deliveredNext) recordNext(deliveredNext);
  if (decision.next === 'dead' && decision.disable) await disable(webhook, 'gone', deps);
  else if (decision.next === 'delivered' || deliveredNext) deps.failures.clear(webhook.id);
  // recordFailure() resolves with true when the webhook has been failing for too long.
  else if (await deps.failures.recordFailure(webhook.id, result)) await disable(webhook, 'failing', deps);
}

/**
 * Tries the delivery after the head, if the head is suspected to be poison and too few other deliveries show whether
 * the receiver works. Returns the next delivery when it was delivered, which proves that the head is poison. Otherwise
 * returns null. A failure of the next delivery proves nothing and is not recorded.
 */
async function tryNextDelivery(
  { webhook, receiver, lane, delivery }: AttemptTarget,
  { status }: AttemptResult,
  deps: AttemptDeps,
): Promise<DeliveredNext | null> {
  const [head, next] = lane.window;
  const startedAt = deps.clock.now();
  const isSuspect = isRejection(status)
    ? receiver.isSuspectRejection(lane, startedAt)
    : isServerError(status) && receiver.isSuspect(lane, startedAt);
  if (head !== delivery || !next || !isSuspect) return null;
  const body = filterBody(webhook.chats, next.type, next.body);
  if (body === undefined) return null;
  const result = await deliver(webhook, withBody(next, body), deps);
  const ms = deps.clock.now() - startedAt;
  const decision = toRetryDecision(result, toRetryContext({ webhook, receiver, lane, delivery: next }, deps));
  if (decision.next !== 'delivered') return null;
  logAttempt(next, result, { decision, ms }, deps);
  return { delivery: next, result };
}

/** Writes the log line of an attempt and reports it to the metrics. */
function logAttempt(
  { instanceId, webhookId, type, eventId, attempts }: Delivery,
  { status, error }: AttemptResult,
  { decision, ms }: { decision: RetryDecision; ms: number },
  { log, onAttempted, requestOf, nameOf }: AttemptDeps,
): void {
  const next = decision.next === 'retry' ? new Date(decision.at).toISOString() : decision.next;
  const fields = {
    instance: nameOf?.(instanceId) ?? instanceId,
    webhook: webhookId,
    event: type,
    id: eventId,
    attempt: attempts + 1,
    requestId: requestOf?.(eventId),
  };
  log.info({ ...fields, code: status ?? error, ms, next }, 'webhook.attempted');
  onAttempted?.({ outcome: decision.next, status, ms });
}

function toRetryContext(
  { receiver, lane, delivery }: AttemptTarget,
  { clock, rules, random }: AttemptDeps,
): RetryContext {
  const now = clock.now();
  return {
    attempts: delivery.attempts + 1,
    slowRetries: lane.slowRetries,
    rejections: receiver.rejectionsIncludingNow(lane, now),
    isBreakerOpenAfterFailure: receiver.isOpenAfterFailure(now),
    failedProbes: receiver.failedProbesAfterFailure(lane),
    createdAt: delivery.createdAt,
    now,
    isPoison: receiver.isPoison(lane, now),
    ...rules,
    random,
  };
}

/** Applies the decision about an attempt to the lane, the receiver and the store. */
function applyDecision(
  { receiver, lane, delivery }: AttemptTarget,
  { status, error }: Pick<AttemptResult, 'status' | 'error'>,
  decision: RetryDecision,
  deps: AttemptDeps,
): void {
  const now = deps.clock.now();
  const attempts = delivery.attempts + 1;
  if (decision.next === 'delivered') {
    lane.removeHead(delivery);
    deps.writer.add({ ...toKey(delivery), outcome: 'delivered' });
    deps.deliveryLog.add(delivery, { status, at: now });
    receiver.recordSuccess(now);
    return;
  }
  if (decision.next === 'dead') {
    lane.removeHead(delivery);
    deps.writer.add({ ...toKey(delivery), outcome: 'dead', attempts, status, error: error ?? decision.reason });
  } else {
    const { at, scope, quick: isQuick = false } = decision;
    lane.delayHead(delivery, { attempts, at, isRejected: scope === 'event', isQuick });
    lane.unsavedResult = { ...toKey(delivery), outcome: 'retry', attempts, nextAt: at, status, error };
    // The result is not written before a quick retry (one of the first retries, which have short delays): after a
    // crash, only the stored number of attempts is too low.
    if (!isQuick) writeUnsavedResults([lane], deps.writer);
    if (isRejection(status)) receiver.recordRejection(lane, now);
  }
  if (decision.scope === 'receiver') recordReceiverFailure({ receiver, lane }, { status, error }, decision, deps);
  // The receiver refused only this event, so the receiver works. A probe of an open circuit breaker has then succeeded.
  else if (receiver.probeLane === lane) receiver.markHealthy();
}

/** Records a failure that possibly affects every event. Writes a log line if the failure opens the circuit breaker. */
function recordReceiverFailure(
  { receiver, lane }: Pick<AttemptTarget, 'receiver' | 'lane'>,
  { status, error }: Pick<AttemptResult, 'status' | 'error'>,
  decision: Exclude<RetryDecision, { next: 'delivered' }>,
  { clock, log, nameOf, writer }: AttemptDeps,
): void {
  const now = clock.now();
  const wasOpen = receiver.probeAt !== null;
  const { at, pausesReceiver } = decision.next === 'retry' ? decision : { at: now, pausesReceiver: false };
  if (decision.next === 'retry') receiver.recordHeadFailure(lane, now);
  receiver.recordFailure(lane, { at, now, pausesReceiver, isRejected: isRejection(status) });
  if (wasOpen || receiver.probeAt === null) return;
  // Lanes that wait for a quick retry have unsaved results. An open breaker allows no quick retry, so the results are
  // written now.
  writeUnsavedResults(receiver.lanes.values(), writer);
  const instance = nameOf?.(receiver.instanceId) ?? receiver.instanceId;
  const until = new Date(receiver.probeAt).toISOString();
  const { webhookId: webhook, failures } = receiver;
  log.warn({ instance, webhook, failures, code: status ?? error, until }, 'webhook.paused');
}

/** Passes the results that the lanes have not written (see Lane.unsavedResult) to the writer. */
export function writeUnsavedResults(lanes: Iterable<Lane>, writer: Pick<DeliveryWriter, 'add'>): void {
  for (const lane of lanes) {
    const result = lane.takeUnsavedResult();
    if (result) writer.add(result);
  }
}

/** Returns the delivery with the given body. If the body is equal, returns the delivery itself: a copy is slow. */
const withBody = (delivery: Delivery, body: string): Delivery =>
  body === delivery.body ? delivery : { ...delivery, body };

function toKey({ webhookId, lane, seq }: Delivery): Pick<AttemptRecord, 'webhookId' | 'lane' | 'seq'> {
  return { webhookId, lane, seq };
}

async function disable(
  webhook: WebhookRow,
  reason: 'gone' | 'failing',
  { subscriptions, log, nameOf }: AttemptDeps,
): Promise<void> {
  const { id, instanceId } = webhook;
  log.warn({ instance: nameOf?.(instanceId) ?? instanceId, webhook: id, reason }, 'webhook.disabled');
  await subscriptions
    .disable(webhook)
    .catch((err: unknown) => log.error({ err, webhook: id }, 'webhook.disable.failed'));
}
