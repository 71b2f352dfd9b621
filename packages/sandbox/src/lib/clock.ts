// Time as a dependency, so that tests can replace the clock instead of waiting.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Calls `fn` once after `ms`; the timer does not keep the process alive. */
  after(ms: number, fn: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
