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

/**
 * The time in ms since the start of the process, for durations within the process. A change of the system time does not
 * affect it.
 */
export const monotonicNow = (): number => performance.now();

/** The longest time that setTimeout() can wait. With a longer time, it calls the callback after 1 ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (rest: number): void => {
      const onTimeout = rest > MAX_TIMEOUT_MS ? () => wait(rest - MAX_TIMEOUT_MS) : callback;
      timer = setTimeout(onTimeout, Math.min(rest, MAX_TIMEOUT_MS)).unref();
    };
    wait(ms);
    return { cancel: () => clearTimeout(timer) };
  },
};
