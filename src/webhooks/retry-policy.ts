// Decides what follows an attempt to deliver an event: the delivery is done, is retried at a given time, or is dead
// (given up). Pure: time and randomness are parameters.
//
// An attempt without a 2xx status is either a failure of the receiver (5xx, 408, 425, 429, no response) or a rejection
// (3xx and other 4xx). Either the event or the configuration of the receiver is at fault for a rejection. A rejection
// is "proven" (the event is at fault) when another event was delivered since the previous rejection of this event. An
// event is "poison" when it keeps failing while others succeed (receiver-health.ts, delivery-attempt.ts). Decision
// D-155.
import type { RetryRules } from './delivery-limits.ts';

export interface AttemptResult {
  /** HTTP status, or null when there was no response. */
  status: number | null;
  /** Error code when there was no response (`ECONNREFUSED`, `UND_ERR_SOCKET`, `ADDRESS_FORBIDDEN` …), else null. */
  error: string | null;
  /** The Retry-After header as received. */
  retryAfter: string | null;
}

/** The rejections of one event in this process, including the newest one. */
export interface Rejections {
  /** Epoch ms of the first rejection. */
  since: number;
  /** Number of rejections. */
  times: number;
  /** Number of proven rejections. */
  provenTimes: number;
  /** Whether the newest rejection is proven. */
  isProven: boolean;
}

export interface RetryContext extends RetryRules {
  /** Number of attempts so far, including this one. */
  attempts: number;
  /**
   * Number of retries so far, in this process, that were not quick. All other retries count as quick, up to the maximum
   * number of quick retries. The retries of an earlier process are among them, because only `attempts` is stored.
   */
  slowRetries: number;
  /** Used only when this attempt was rejected. */
  rejections: Rejections;
  /** Whether a failure of this attempt opens the circuit breaker, or the breaker is open already. */
  isBreakerOpenAfterFailure: boolean;
  /**
   * Number of failed probes (attempts that test the receiver) since the breaker opened, including this attempt if it is
   * a failed probe.
   */
  failedProbes: number;
  /** Epoch ms at which the event was queued. */
  createdAt: number;
  /** Epoch ms. */
  now: number;
  /** Whether the event keeps failing while others succeed. */
  isPoison: boolean;
  /** Returns a random number from 0 to 1 for the jitter. */
  random: () => number;
}

/**
 * - `scope`: a failure with `receiver` possibly affects every event, so it counts for the circuit breaker and for all
 *   events. A failure with `event` says nothing about other events. The status 410 (the webhook no longer exists) also
 *   has the scope `event`.
 * - `pausesReceiver`: the receiver itself set the time of the next request (Retry-After), so `at` applies to all
 *   events.
 * - `quick`: this is one of the quick retries that come before the schedule.
 * - `disable`: the caller has to disable the webhook.
 */
export type RetryDecision =
  | { next: 'delivered' }
  | { next: 'retry'; at: number; scope: 'event' | 'receiver'; pausesReceiver: boolean; quick?: boolean }
  | { next: 'dead'; reason: string; scope: 'event' | 'receiver'; disable: boolean };

/**
 * Delays before attempts 2, 3 and 4. They are short, so that an occasional failure hardly delays the next events.
 */
const QUICK_RETRY_DELAYS_MS = [50, 250, 1_000];
/** Delay before the next attempt of an event whose rejection is proven. */
const PROVEN_REJECTION_DELAY_MS = 300_000;
/** A rejected event that is not poison is dead only after this many rejections. */
export const MIN_REJECTIONS = 3;
/** Of these rejections, at least this many must be proven. */
export const MIN_PROVEN_REJECTIONS = 2;
/**
 * This many ms after the first rejection of an event, the next event of its lane (a queue of deliveries that are sent
 * in order) is tried too. If the next event is delivered, the rejected event is poison.
 */
export const TRY_NEXT_AFTER_MS = 300_000;
/** Limits of the time in a Retry-After header. A time beyond a limit is replaced by the limit. */
const MAX_RETRY_AFTER_MS = 3_600_000;
const MIN_RETRY_AFTER_MS = 1_000;

/**
 * Applies the rules in this order: success, status 410, maximum age, limits set by the operator, rejection, failure of
 * the receiver.
 */
export function toRetryDecision(result: AttemptResult, context: RetryContext): RetryDecision {
  const { status } = result;
  if (isSuccess(status)) return { next: 'delivered' };
  if (status === 410) return { next: 'dead', reason: 'gone', scope: 'event', disable: true };
  const isRejected = isRejection(status);
  const scope = isRejected && (context.rejections.isProven || context.isPoison) ? 'event' : 'receiver';
  const toDeadDecision = (reason: string): RetryDecision => ({ next: 'dead', reason, scope, disable: false });
  if (context.now - context.createdAt >= context.maxAge) return toDeadDecision('expired');
  if (status !== null && context.noRetry.includes(status))
    return { next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false };
  if (context.maxAttempts > 0 && countAttempts(context) >= context.maxAttempts) {
    const failure = status === null ? 'no answer' : `failed with ${status}`;
    return toDeadDecision(`${failure} on the last of ${context.attempts} attempts`);
  }
  if (isRejected)
    return isFinallyRejected(context) ? toDeadDecision(`refused with ${status}`) : toRejectionRetry(scope, context);
  // The scope of a poison event is `receiver` here, because a 5xx can also be the start of an outage.
  if (context.isPoison && isServerError(status)) return toDeadDecision(`failed with ${status} while others succeeded`);
  const retryAfter = parseRetryAfter(result.retryAfter, context.now);
  if (retryAfter !== null) return { next: 'retry', at: context.now + retryAfter, scope, pausesReceiver: true };
  const quickMs =
    allowsQuickRetry(result) && !context.isBreakerOpenAfterFailure
      ? QUICK_RETRY_DELAYS_MS[context.attempts - 1]
      : undefined;
  if (quickMs !== undefined)
    return { next: 'retry', at: context.now + withJitter(quickMs, context), scope, pausesReceiver: false, quick: true };
  return { next: 'retry', at: scheduledAt(countAttempts(context), context), scope, pausesReceiver: false };
}

/** Returns whether the receiver accepted the event: 2xx. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The statuses of 4xx that mean a failure of the receiver: timeout, too early, too many requests. */
const RECEIVER_FAILURES = [408, 425, 429];

/** Returns whether the status is a rejection: 3xx or most of 4xx. */
export function isRejection(status: number | null): boolean {
  return status !== null && status >= 300 && status < 500 && !RECEIVER_FAILURES.includes(status);
}

/** Returns whether the receiver's program failed: 5xx, except 502 and 504 (a proxy) and 503 (no capacity). */
export function isServerError(status: number | null): boolean {
  return status !== null && status >= 500 && ![502, 503, 504].includes(status);
}

/** Returns the number of attempts so far, not counting quick retries. */
function countAttempts({ attempts, slowRetries }: RetryContext): number {
  const quickRetries = Math.min(Math.max(attempts - 1 - slowRetries, 0), QUICK_RETRY_DELAYS_MS.length);
  return attempts - quickRetries;
}

/** Returns false for a receiver that asks for fewer requests (429) or that used the whole timeout. */
function allowsQuickRetry({ status, error }: AttemptResult): boolean {
  return status !== 429 && error !== 'ETIMEDOUT';
}

/** Returns whether a rejected event is dead, because it is poison or enough of its rejections are proven. */
function isFinallyRejected({ rejections: { times, provenTimes }, isPoison }: RetryContext): boolean {
  return isPoison || (times >= MIN_REJECTIONS && provenTimes >= MIN_PROVEN_REJECTIONS);
}

/** Returns the retry of a rejected event. With the scope `event`, the rejection is proven. */
function toRejectionRetry(scope: 'event' | 'receiver', context: RetryContext): RetryDecision {
  const { rejections, now } = context;
  if (scope === 'event')
    return { next: 'retry', at: now + withJitter(PROVEN_REJECTION_DELAY_MS, context), scope, pausesReceiver: false };
  const at = scheduledAt(rejections.times, context);
  // If this event is rejected again at `nextTriedAt` or later, the next event is tried too
  // (ReceiverHealth.isSuspectRejection). If the next event is delivered, this event is dead and no longer blocks the
  // events behind it.
  const nextTriedAt = rejections.since + TRY_NEXT_AFTER_MS;
  return { next: 'retry', at: nextTriedAt > now ? Math.min(at, nextTriedAt) : at, scope, pausesReceiver: false };
}

/**
 * Returns the epoch ms of the next scheduled attempt. The delay is the entry of the schedule at the position `step`
 * (from 1), or at `failedProbes + 1` if that is higher. The last entry repeats.
 */
function scheduledAt(step: number, context: RetryContext): number {
  const { schedule, failedProbes, now } = context;
  const position = Math.min(Math.max(step, failedProbes + 1), schedule.length);
  return now + withJitter(schedule[position - 1] ?? 0, context);
}

/**
 * Returns the ms from `now` until a delivery or a probe that is planned for `at` is due (both epoch ms); 0 when it is
 * due. A time that is further away than the longest delay was planned before the clock was set back, and is due now.
 */
export function msUntilDue(
  at: number,
  now: number,
  { schedule, jitter }: Pick<RetryRules, 'schedule' | 'jitter'>,
): number {
  const longestScheduled = Math.max(...schedule, PROVEN_REJECTION_DELAY_MS) * (1 + jitter);
  const ms = at - now;
  return ms > Math.max(Math.ceil(longestScheduled), MAX_RETRY_AFTER_MS) ? 0 : Math.max(0, ms);
}

/** Varies a delay at random, so that deliveries that failed at the same time are not retried at the same time. */
function withJitter(ms: number, { jitter, random }: Pick<RetryContext, 'jitter' | 'random'>): number {
  return Math.round(ms * (1 - jitter + 2 * jitter * random()));
}

/**
 * Parses a `Retry-After` header, a number of seconds or a date (RFC 9110 §10.2.3). Returns ms, limited to 1 s to 1 h,
 * or null when the header is absent or invalid.
 */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : parseDate(value) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
}

/** Returns the epoch ms of a date with a time of day, else NaN. Date.parse() also takes `1.5` and `-5` as dates. */
function parseDate(text: string): number {
  return /\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}
