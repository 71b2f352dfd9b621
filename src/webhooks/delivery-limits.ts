// The limits of webhook deliveries (retry schedule, maximum age, timeout, retention) and their default values.

/** When and how often a delivery is retried. */
export interface RetryRules {
  /**
   * Delays in ms between attempts while the receiver fails. The last value repeats. Probes (the only attempts while an
   * open circuit breaker pauses the receiver) have the same delays. Up to three quick retries, which have shorter
   * delays, come before the schedule (retry-policy.ts).
   */
  schedule: readonly number[];
  /** Random variation of each delay: 0.2 is ±20 %. */
  jitter: number;
  /**
   * Maximum number of attempts, not counting quick retries. After the last attempt the delivery is dead (given up). 0:
   * no maximum, only `maxAge` applies.
   */
  maxAttempts: number;
  /** HTTP statuses that make a delivery dead at once. */
  noRetry: readonly number[];
  /** Age in ms at which a waiting delivery is dead. */
  maxAge: number;
}

export interface DispatcherOptions extends RetryRules {
  /** Maximum duration of one attempt, in ms. */
  timeout: number;
  /** ms for which events, and dead deliveries (dead letters), are stored. */
  retention: number;
  /** ms without a successful delivery after which a webhook is disabled; 0: never. */
  disableAfter: number;
  /** Returns a random number from 0 to 1 for the jitter; Math.random by default. */
  random?: () => number;
}

const HOUR_MS = 3_600_000;

export const DEFAULT_DISPATCHER_OPTIONS: DispatcherOptions = {
  timeout: 15_000,
  schedule: [5_000, 15_000, 30_000, 60_000, 120_000, 300_000],
  jitter: 0.2,
  maxAttempts: 0,
  noRetry: [],
  maxAge: 72 * HOUR_MS,
  retention: 72 * HOUR_MS,
  disableAfter: 120 * HOUR_MS,
};
