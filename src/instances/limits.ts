// The limits of an instance, and what they are unless somebody says otherwise.

export interface RunnerOptions {
  /** QR codes displayed before a pairing is given up. */
  qrLimit: number;
  /** Dark colour of the QR image, `#rrggbb`. */
  qrColor: string;
  /** Longest time a socket may take to open, ms (in rc14 a refused HTTP upgrade never closes by itself). */
  connectWatchdog: number;
  /** Longest time a socket may take to disappear, ms. */
  closeWatchdog: number;
  /** A loss that is repaired within so many ms is not reported. */
  flapWindow: number;
  /** How often a link is taken back that another connection took over (causes.ts). */
  reclaims: number;
}

export interface InstanceOptions extends RunnerOptions {
  /** Longest time connect() waits for a QR code, a pairing code, open or a failure, ms. */
  connectTimeout: number;
  /** Longest time restart() waits for the new connection, ms. */
  restartTimeout: number;
}

/** `connectConcurrency`: instances that connect at the same time. */
export const DEFAULT_LIMITS: InstanceOptions & { connectConcurrency: number } = {
  qrLimit: 30,
  qrColor: '#000000',
  connectTimeout: 20_000,
  restartTimeout: 5_000,
  connectWatchdog: 30_000,
  closeWatchdog: 10_000,
  flapWindow: 3_000,
  reclaims: 0,
  connectConcurrency: 10,
};
