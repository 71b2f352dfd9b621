// The limits of an instance and their defaults.

export interface StateRunnerOptions {
  /** QR codes displayed before a pairing ends. */
  qrLimit: number;
  /** Dark color of the QR image, `#rrggbb`. */
  qrColor: string;
  /** ms that a socket may take to open. A refused HTTP upgrade never closes by itself in Baileys 7.0.0-rc14. */
  connectWatchdog: number;
  /** ms that a socket may take to disappear after it was closed. */
  closeWatchdog: number;
  /** A loss that is repaired within this many ms is not reported. */
  flapWindow: number;
  /** How often a connection is opened again after another connection took over (disconnect-reasons.ts). */
  maxReclaims: number;
}

export interface InstanceOptions extends StateRunnerOptions {
  /** ms that connect() waits for a QR code, a pairing code, the open state or a failure. */
  connectTimeout: number;
  /** ms that restart() waits for the new connection. */
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
  maxReclaims: 0,
  connectConcurrency: 10,
};
