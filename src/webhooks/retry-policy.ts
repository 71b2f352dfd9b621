// What follows from one attempt: status or error → delivered, retry at, or dead. Pure; it is told the time and the dice.

import type { RetryRules } from './delivery-limits.ts';

export interface AttemptResult {
  /** HTTP status, or null when there was no answer. */
  status: number | null;
  /** Error code when there was no answer (`ECONNREFUSED`, `UND_ERR_SOCKET`, `ADDRESS_FORBIDDEN` …). */
  error: string | null;
  /** The Retry-After header as it came. */
  retryAfter: string | null;
}

/** The refusals of one event in this process, the newest included. A refusal is an answer such as 401 or 422 (`isRefusal`). */
export interface Rejections {
  /** Epoch ms of the first one. */
  since: number;
  times: number;
  /** Refusals between which and the one before another event of the webhook was taken. */
  provenTimes: number;
  /** The newest is one of them. */
  isProven: boolean;
}

export interface RetryContext extends RetryRules {
  /** Attempts made, this one included. */
  attempts: number;
  /** Counts only when the event was refused. */
  rejections: Rejections;
  /** The webhook's breaker is open, or this failure opens it. */
  isBreakerOpen: boolean;
  /** Probes of the open breaker that failed before this attempt. */
  probes: number;
  /** Epoch ms. */
  createdAt: number;
  now: number;
  /** True when other events of this webhook went through while this one has been failing for long. */
  isPoison: boolean;
  random: () => number;
}

/**
 * `scope` endpoint: every other event may fail as well (transport, 5xx, 408, 425, 429, and refusals while no other event is taken).
 * `scope` event: the receiver refuses this one and takes others. `pause`: the receiver named the time itself. `quick`: one of the
 * retries that come before the schedule. `disable`: it wants nothing any more.
 */
export type RetryDecision =
  | { next: 'delivered' }
  | { next: 'retry'; at: number; scope: 'event' | 'receiver'; pause: boolean; quick?: boolean }
  | { next: 'dead'; reason: string; scope: 'event' | 'receiver'; disable: boolean };

/** ms before attempts 2, 3 and 4 of an event, so that a receiver that fails now and then does not hold a lane for seconds. */
const QUICK_RETRIES = [50, 250, 1_000];
/** ms before the next attempt of an event that is refused while others are taken. */
const BLAMED_PAUSE = 300_000;
/** Refusals, and ms since the first, before an event may be given up. */
export const MIN_REJECTIONS = 3;
export const MIN_REJECTED_MS = 300_000;
/** Blamed refusals after which it is. */
export const MIN_PROVEN_REJECTIONS = 2;
const MAX_RETRY_AFTER = 3_600_000;
const MIN_RETRY_AFTER = 1_000;

/** Applies the rules in their order: success, 410, expiry, the operator's limits, refusal, endpoint-level failure. */
export function toRetryDecision(attempted: AttemptResult, context: RetryContext): RetryDecision {
  const { status } = attempted;
  if (status !== null && status >= 200 && status < 300) return { next: 'delivered' };
  if (status === 410) return { next: 'dead', reason: 'gone', scope: 'event', disable: true };
  const isRefused = isRejection(status);
  const scope = isRefused && (context.rejections.isProven || context.isPoison) ? 'event' : 'receiver';
  const dead = (reason: string): RetryDecision => ({ next: 'dead', reason, scope, disable: false });
  if (context.now - context.createdAt >= context.expiry) return dead('expired');
  if (status !== null && context.noRetry.includes(status))
    return { next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false };
  if (isExhausted(context))
    return dead(`${status === null ? 'no answer' : `failed with ${status}`} in ${context.attempts} attempts`);
  if (isRefused) return isToBlame(context) ? dead(`refused with ${status}`) : refused(scope, context);
  if (context.isPoison && isOwnFailure(status)) return dead(`failed with ${status} while others succeeded`);
  const asked = parseRetryAfter(attempted.retryAfter, context.now);
  if (asked !== null) return { next: 'retry', at: context.now + asked, scope, pause: true };
  const quick = isBrief(attempted) && !context.isBreakerOpen ? QUICK_RETRIES[context.attempts - 1] : undefined;
  if (quick !== undefined)
    return { next: 'retry', at: context.now + vary(quick, context), scope, pause: false, quick: true };
  return { next: 'retry', at: later(context.attempts - QUICK_RETRIES.length, context), scope, pause: false };
}

/** An answer that says no to this event, or to every event when the receiver's address or credentials changed: 3xx and most 4xx. */
export function isRejection(status: number | null): boolean {
  return status !== null && status >= 300 && !isEndpointFailure(status);
}

function isEndpointFailure(status: number | null): boolean {
  return status === null || status >= 500 || status === 408 || status === 425 || status === 429;
}

/** The receiver's program failed, not a proxy in front of it or its capacity. */
export function isOwnFailure(status: number | null): boolean {
  return status !== null && status >= 500 && ![502, 503, 504].includes(status);
}

/** The quick retries do not count: `maxAttempts` limits how often an event is tried at the operator's pauses. */
function isExhausted({ attempts, maxAttempts }: RetryContext): boolean {
  return maxAttempts > 0 && attempts - Math.min(attempts - 1, QUICK_RETRIES.length) >= maxAttempts;
}

/** The receiver failed at once and may work at once: it neither asked for less (429) nor needed all the time it may take. */
function isBrief({ status, error }: AttemptResult): boolean {
  return status !== 429 && error !== 'ETIMEDOUT';
}

function isToBlame({ rejections: { times, provenTimes: blamed }, isPoison: poisonous }: RetryContext): boolean {
  return poisonous || (times >= MIN_REJECTIONS && blamed >= MIN_PROVEN_REJECTIONS);
}

/** An event that is refused while nothing else is taken waits as for a receiver that is down, and longer once others are taken. */
function refused(scope: 'event' | 'receiver', context: RetryContext): RetryDecision {
  const { rejections: refusals, now } = context;
  if (scope === 'event') return { next: 'retry', at: now + vary(BLAMED_PAUSE, context), scope, pause: false };
  const at = later(refusals.times, context);
  // There is an attempt at the moment from which on the event may be given up for those behind it.
  const decisive = refusals.since + MIN_REJECTED_MS;
  return { next: 'retry', at: decisive > now ? Math.min(at, decisive) : at, scope, pause: false };
}

/**
 * Epoch ms of the next attempt by the operator's schedule. A breaker that opened on many events starts its probes at the front of the
 * schedule; one old event goes on where it was.
 */
function later(step: number, context: RetryContext): number {
  const { schedule, probes, now } = context;
  const index = Math.max(step, probes + 1, 1);
  return now + vary(schedule[Math.min(index, schedule.length) - 1] ?? 0, context);
}

/** Varied, so that many lanes do not come back at the same instant. */
function vary(ms: number, { jitter, random }: Pick<RetryContext, 'jitter' | 'random'>): number {
  return Math.round(ms * (1 - jitter + 2 * jitter * random()));
}

/** ms to wait for `Retry-After` in either form (RFC 9110 §10.2.3), between 1 s and 1 h; null when absent or unreadable. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, MIN_RETRY_AFTER), MAX_RETRY_AFTER);
}
