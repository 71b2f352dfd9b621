// The limits of deliveries (retry schedule, expiry, timeout, retention) and their defaults.

/** When and how often a delivery is retried. */
export interface RetryRules {
  /**
   * ms before attempt 2, 3, … when the receiver fails, and between probes of an open circuit breaker; the last value
   * repeats.
   */
  schedule: readonly number[];
  /** Random variation of each pause: 0.2 is ±20 %. */
  jitter: number;
  /** Scheduled attempts after which a delivery is dead; 0: only `expiry` counts. */
  maxAttempts: number;
  /** HTTP statuses after which a delivery is dead at once. */
  noRetry: readonly number[];
  /** Age in ms at which a delivery is dead. */
  expiry: number;
}

export interface DispatcherOptions extends RetryRules {
  /** ms for one attempt. */
  timeout: number;
  /** ms for which events and dead letters are stored. */
  retention: number;
  /** ms without a successful delivery after which a webhook is disabled; 0: never. */
  disableAfter: number;
  /** Source of the jitter, 0 to 1; Math.random by default. */
  random?: () => number;
}

export const DEFAULT_DISPATCHER_OPTIONS: DispatcherOptions = {
  timeout: 15_000,
  schedule: [5_000, 15_000, 30_000, 60_000, 120_000, 300_000],
  jitter: 0.2,
  maxAttempts: 0,
  noRetry: [],
  expiry: 72 * 3_600_000,
  retention: 72 * 3_600_000,
  disableAfter: 120 * 3_600_000,
};
