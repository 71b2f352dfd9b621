// What follows from one attempt: status or error → delivered, retry at, or dead. Pure; it is told the time and the dice.

import type { RetryRules } from './schedule.ts';

export interface Attempted {
  /** HTTP status, or null when there was no answer. */
  status: number | null;
  /** Error code when there was no answer (`ECONNREFUSED`, `UND_ERR_SOCKET`, `ADDRESS_FORBIDDEN` …). */
  error: string | null;
  /** The Retry-After header as it came. */
  retryAfter: string | null;
}

export interface Context extends RetryRules {
  /** Attempts made, this one included. */
  attempts: number;
  /** Refusals of this event among them, this one included if it is one; those before a restart are not known. */
  refusals: number;
  /** Consecutive failures of the webhook as a whole before this one. */
  failures: number;
  /** Epoch ms. */
  createdAt: number;
  now: number;
  /** True when other events of this webhook went through while this one has been failing for long. */
  poisonous: boolean;
  random: () => number;
}

/**
 * `scope` endpoint: every other event would have failed too (transport, 5xx, 408, 425, 429). `scope` event: the receiver
 * refused this one. `pause`: the receiver named the time itself. `disable`: it wants nothing any more.
 */
export type Outcome =
  | { next: 'delivered' }
  | { next: 'retry'; at: number; scope: 'event' | 'endpoint'; pause: boolean }
  | { next: 'dead'; reason: string; scope: 'event' | 'endpoint'; disable: boolean };

/** ms before the second and third try of an event the receiver refused. */
const REFUSED_SCHEDULE = [5_000, 300_000];
const MAX_RETRY_AFTER = 3_600_000;
const MIN_RETRY_AFTER = 1_000;
/** The failure from which on the whole webhook is held and only probed. */
export const BREAKER_THRESHOLD = 5;

/** Applies RELIABILITY's rules in their order: success, 410, endpoint-level failure, refusal. */
export function toOutcome(attempted: Attempted, context: Context): Outcome {
  const { status } = attempted;
  if (status !== null && status >= 200 && status < 300) return { next: 'delivered' };
  if (status === 410) return { next: 'dead', reason: 'gone', scope: 'event', disable: true };
  const scope = isEndpointFailure(status) ? 'endpoint' : 'event';
  const dead = (reason: string): Outcome => ({ next: 'dead', reason, scope, disable: false });
  if (context.now - context.createdAt >= context.expiry) return dead('expired');
  if (status !== null && context.noRetry.includes(status))
    return { next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false };
  if (context.maxAttempts > 0 && context.attempts >= context.maxAttempts)
    return dead(`${status === null ? 'no answer' : `failed with ${status}`} in ${context.attempts} attempts`);
  if (scope === 'event') return refused(context) ?? dead(`refused with ${status}`);
  if (context.poisonous && isOwnFailure(status)) return dead(`failed with ${status} while others succeeded`);
  const asked = parseRetryAfter(attempted.retryAfter, context.now);
  if (asked !== null) return { next: 'retry', at: context.now + asked, scope, pause: true };
  // A breaker that opened on many events starts its probes at the front of the schedule; one old event goes on where it was.
  const step = Math.max(context.attempts, context.failures + 2 - BREAKER_THRESHOLD);
  return { next: 'retry', at: context.now + delay(context.schedule, step, context), scope, pause: false };
}

function isEndpointFailure(status: number | null): boolean {
  return status === null || status >= 500 || status === 408 || status === 425 || status === 429;
}

/** The receiver's program failed, not a proxy in front of it or its capacity. */
export function isOwnFailure(status: number | null): boolean {
  return status !== null && status >= 500 && ![502, 503, 504].includes(status);
}

/** Failures of the endpoint do not count here: what waited for a receiver to come back gets its three tries from it. */
function refused({ refusals, now, ...dice }: Context): Outcome | null {
  if (refusals > REFUSED_SCHEDULE.length) return null;
  return { next: 'retry', at: now + delay(REFUSED_SCHEDULE, refusals, dice), scope: 'event', pause: false };
}

/** Varied, so that many lanes do not come back at the same instant. */
function delay(
  schedule: readonly number[],
  attempt: number,
  { jitter, random }: Pick<Context, 'jitter' | 'random'>,
): number {
  const base = schedule[Math.min(attempt, schedule.length) - 1] ?? 0;
  return Math.round(base * (1 - jitter + 2 * jitter * random()));
}

/** ms to wait for `Retry-After` in either form (RFC 9110 §10.2.3), between 1 s and 1 h; null when absent or unreadable. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, MIN_RETRY_AFTER), MAX_RETRY_AFTER);
}
