// Decides what follows an attempt: delivered, retry at a time, or dead. Pure: time and randomness are parameters.
//
// An answer outside 2xx is either a failure of the receiver (5xx, 408, 425, 429, no answer) or a rejection (3xx and
// other 4xx). A rejection may be the fault of the event or of the receiver's configuration. It is the event's fault
// when other events are delivered between two rejections ("proven"). An event is poison when it keeps failing while
// others succeed (receiver-health.ts, delivery-attempt.ts). Decision D-155.

import type { RetryRules } from './delivery-limits.ts';

export interface AttemptResult {
  /** HTTP status, or null when there was no answer. */
  status: number | null;
  /** Error code when there was no answer (`ECONNREFUSED`, `UND_ERR_SOCKET`, `ADDRESS_FORBIDDEN` …). */
  error: string | null;
  /** The Retry-After header as received. */
  retryAfter: string | null;
}

/** The rejections of one event in this process, including the newest. */
export interface Rejections {
  /** Epoch ms of the first one. */
  since: number;
  times: number;
  /** Rejections with a delivery of another event of the webhook between it and the previous one. */
  provenTimes: number;
  /** Whether the newest is one of them. */
  isProven: boolean;
}

export interface RetryContext extends RetryRules {
  /** Attempts so far, including this one. */
  attempts: number;
  /** Used only when the event was rejected. */
  rejections: Rejections;
  /** The circuit breaker is open, or this failure opens it. */
  isBreakerOpen: boolean;
  /** Failed probes since the breaker opened. */
  probes: number;
  /** Epoch ms at which the event was queued. */
  createdAt: number;
  /** Epoch ms. */
  now: number;
  isPoison: boolean;
  /** Source of the jitter, 0 to 1. */
  random: () => number;
}

/**
 * - `scope` receiver: every other event may fail as well. `scope` event: the receiver accepts other events.
 * - `pause`: the receiver named the time of the next request, which holds for all events.
 * - `quick`: one of the retries before the schedule.
 * - `disable`: the webhook is to be disabled.
 */
export type RetryDecision =
  | { next: 'delivered' }
  | { next: 'retry'; at: number; scope: 'event' | 'receiver'; pause: boolean; quick?: boolean }
  | { next: 'dead'; reason: string; scope: 'event' | 'receiver'; disable: boolean };

/** ms before attempts 2, 3 and 4, so that a receiver that fails now and then does not delay a lane for seconds. */
const QUICK_RETRIES = [50, 250, 1_000];
/** ms before the next attempt of an event that is rejected while others are delivered. */
const PROVEN_REJECTION_PAUSE = 300_000;
/** An event is dead only after this many rejections, this many ms after the first, … */
export const MIN_REJECTIONS = 3;
export const MIN_REJECTED_MS = 300_000;
/** … and with this many proven ones. */
export const MIN_PROVEN_REJECTIONS = 2;
const MAX_RETRY_AFTER = 3_600_000;
const MIN_RETRY_AFTER = 1_000;

/**
 * Applies the rules in this order: success, 410, expiry, limits of the operator, rejection, failure of the receiver.
 */
export function toRetryDecision(result: AttemptResult, context: RetryContext): RetryDecision {
  const { status } = result;
  if (status !== null && status >= 200 && status < 300) return { next: 'delivered' };
  if (status === 410) return { next: 'dead', reason: 'gone', scope: 'event', disable: true };
  const isRejected = isRejection(status);
  const scope = isRejected && (context.rejections.isProven || context.isPoison) ? 'event' : 'receiver';
  const dead = (reason: string): RetryDecision => ({ next: 'dead', reason, scope, disable: false });
  if (context.now - context.createdAt >= context.expiry) return dead('expired');
  if (status !== null && context.noRetry.includes(status))
    return { next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false };
  if (isExhausted(context))
    return dead(`${status === null ? 'no answer' : `failed with ${status}`} in ${context.attempts} attempts`);
  if (isRejected) return isEventRejected(context) ? dead(`refused with ${status}`) : retryRejected(scope, context);
  if (context.isPoison && isServerError(status)) return dead(`failed with ${status} while others succeeded`);
  const retryAfter = parseRetryAfter(result.retryAfter, context.now);
  if (retryAfter !== null) return { next: 'retry', at: context.now + retryAfter, scope, pause: true };
  const quick = mayRetryQuickly(result) && !context.isBreakerOpen ? QUICK_RETRIES[context.attempts - 1] : undefined;
  if (quick !== undefined)
    return { next: 'retry', at: context.now + withJitter(quick, context), scope, pause: false, quick: true };
  return { next: 'retry', at: scheduledAt(context.attempts - QUICK_RETRIES.length, context), scope, pause: false };
}

/**
 * Whether the status rejects this event, or every event when the receiver's URL or credentials changed: 3xx and most
 * 4xx.
 */
export function isRejection(status: number | null): boolean {
  return status !== null && status >= 300 && !isReceiverFailure(status);
}

function isReceiverFailure(status: number | null): boolean {
  return status === null || status >= 500 || status === 408 || status === 425 || status === 429;
}

/** Whether the receiver's own program failed, not a proxy before it (502, 504) or its capacity (503). */
export function isServerError(status: number | null): boolean {
  return status !== null && status >= 500 && ![502, 503, 504].includes(status);
}

/** Quick retries do not count: `maxAttempts` limits the scheduled ones. */
function isExhausted({ attempts, maxAttempts }: RetryContext): boolean {
  return maxAttempts > 0 && attempts - Math.min(attempts - 1, QUICK_RETRIES.length) >= maxAttempts;
}

/** A receiver that asks for fewer requests (429), or that used the whole timeout, gets no quick retry. */
function mayRetryQuickly({ status, error }: AttemptResult): boolean {
  return status !== 429 && error !== 'ETIMEDOUT';
}

/** Whether the rejections prove that the receiver rejects this event only. */
function isEventRejected({ rejections: { times, provenTimes }, isPoison }: RetryContext): boolean {
  return isPoison || (times >= MIN_REJECTIONS && provenTimes >= MIN_PROVEN_REJECTIONS);
}

/** A rejected event waits by the schedule while no other event is delivered, and longer when others are. */
function retryRejected(scope: 'event' | 'receiver', context: RetryContext): RetryDecision {
  const { rejections, now } = context;
  if (scope === 'event')
    return { next: 'retry', at: now + withJitter(PROVEN_REJECTION_PAUSE, context), scope, pause: false };
  const at = scheduledAt(rejections.times, context);
  // An attempt at this time may prove the rejection (isSuspectRejection), which frees the events behind this one.
  const provableAt = rejections.since + MIN_REJECTED_MS;
  return { next: 'retry', at: provableAt > now ? Math.min(at, provableAt) : at, scope, pause: false };
}

/**
 * Returns the epoch ms of the next attempt by the schedule. A breaker that opened on several events probes from the
 * start of the schedule; a single old event continues at its step.
 */
function scheduledAt(step: number, context: RetryContext): number {
  const { schedule, probes, now } = context;
  const index = Math.max(step, probes + 1, 1);
  return now + withJitter(schedule[Math.min(index, schedule.length) - 1] ?? 0, context);
}

/** Varies a pause, so that lanes that failed together do not retry together. */
function withJitter(ms: number, { jitter, random }: Pick<RetryContext, 'jitter' | 'random'>): number {
  return Math.round(ms * (1 - jitter + 2 * jitter * random()));
}

/**
 * Returns the ms of a `Retry-After` in either form (RFC 9110 §10.2.3), from 1 s to 1 h; null when absent or invalid.
 */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, MIN_RETRY_AFTER), MAX_RETRY_AFTER);
}
