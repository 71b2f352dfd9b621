// The times of deliveries: how long, how often, until when; and their defaults.

export interface DispatcherOptions {
  /** ms one attempt may take. */
  timeout: number;
  /** ms before attempt 2, 3, … of an event whose receiver failed, and between probes of a dead one; the last one repeats. */
  schedule: readonly number[];
  /** ms after which an event is given up. */
  expiry: number;
  /** ms that events are kept, delivered or not, and dead letters after their death. */
  retention: number;
  /** ms without any delivery after which a webhook is disabled; 0: never. */
  disableAfter: number;
  /** Dice for the jitter; Math.random unless given. */
  random?: () => number;
}

export const defaultDispatcherOptions: DispatcherOptions = {
  timeout: 15_000,
  schedule: [5_000, 15_000, 30_000, 60_000, 120_000, 300_000],
  expiry: 72 * 3_600_000,
  retention: 72 * 3_600_000,
  disableAfter: 120 * 3_600_000,
};
