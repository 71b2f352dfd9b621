// The clock and timers as a dependency, so that tests can control the time.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Calls `callback` once after `ms`; the timer does not keep the process alive. */
  after(ms: number, callback: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
