// Limits and options of an instance, and their defaults.

export interface StateRunnerOptions {
  /** Maximum number of QR codes that one pairing displays. */
  qrLimit: number;
  /** Dark color of the QR image, `#rrggbb`. */
  qrColor: string;
  /**
   * Maximum time for a socket to open, ms. Baileys 7.0.0-rc14 does not close a socket whose HTTP upgrade was refused.
   */
  connectWatchdog: number;
  /** Maximum time for a socket to close, ms. */
  closeWatchdog: number;
  /** The loss of a connection is not reported when the instance reconnects within this time, ms. */
  flapWindow: number;
  /**
   * Maximum number of recent takeovers. A takeover is a close because another connection replaced the connection of the
   * instance. Up to this number, the instance reconnects; after more takeovers, it is blocked. See CloseContext
   * (disconnect-causes.ts).
   */
  maxTakeovers: number;
}

export interface InstanceOptions extends StateRunnerOptions {
  /** Maximum time that connect() waits for a QR code, a pairing code, the open state or a failure, ms. */
  connectTimeout: number;
  /** Maximum time that restart() waits for the new connection, ms. */
  restartTimeout: number;
}

/** `connectConcurrency` is the maximum number of instances that connect at the same time after a start. */
export const DEFAULT_OPTIONS: InstanceOptions & { connectConcurrency: number } = {
  qrLimit: 30,
  qrColor: '#000000',
  connectTimeout: 20_000,
  restartTimeout: 5_000,
  connectWatchdog: 30_000,
  closeWatchdog: 10_000,
  flapWindow: 3_000,
  maxTakeovers: 0,
  connectConcurrency: 10,
};
