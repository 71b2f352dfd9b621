// The times of deliveries: how long, how often, until when; and their defaults.

/** When an event is tried again, and how often. */
export interface RetryRules {
  /** ms before attempt 2, 3, … of an event whose receiver failed, and between probes of a dead one; the last one repeats. */
  schedule: readonly number[];
  /** How much the pauses vary: 0.2 is up to a fifth, either way. */
  jitter: number;
  /** Attempts after which an event is given up; 0: only its age counts. */
  maxAttempts: number;
  /** Answers after which an event is given up at once. */
  noRetry: readonly number[];
  /** ms after which an event is given up. */
  expiry: number;
}

export interface DispatcherOptions extends RetryRules {
  /** ms one attempt may take. */
  timeout: number;
  /** ms that events are kept, delivered or not, and dead letters after their death. */
  retention: number;
  /** ms without any delivery after which a webhook is disabled; 0: never. */
  disableAfter: number;
  /** Dice for the jitter; Math.random unless given. */
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
