// A promise with an end: by time, or because the session is gone. The work itself cannot be stopped; its late result is ignored.

export interface DeadlineOptions {
  /** Milliseconds. */
  after: number;
  /** What the caller gets when time is up. */
  onTimeout: () => Error;
  /** Fires when the session ends. */
  ended: AbortSignal;
  /** What the caller gets when it did. */
  onEnded: () => Error;
}

/** What is waited for while a session lasts, by its signal: one listener for all, because every send comes and goes here. */
const stops = new WeakMap<AbortSignal, Set<() => void>>();

function stopsOf(ended: AbortSignal): Set<() => void> {
  const known = stops.get(ended);
  if (known) return known;
  const waiting = new Set<() => void>();
  stops.set(ended, waiting);
  const stopAll = () => {
    for (const stop of waiting) stop();
  };
  ended.addEventListener('abort', stopAll, { once: true });
  return waiting;
}

/** Settles like `work` when that is in time and the session lasts; otherwise rejects with the error of the limit that was met first. */
export function withDeadline<T>(work: Promise<T>, limits: DeadlineOptions): Promise<T> {
  const waiting = stopsOf(limits.ended);
  return new Promise((resolve, reject) => {
    const stop = () => settle(() => reject(limits.onEnded()));
    const timer = setTimeout(() => settle(() => reject(limits.onTimeout())), limits.after);
    const settle = (answer: () => void) => {
      clearTimeout(timer);
      waiting.delete(stop);
      answer();
    };
    // The work is attached first: when it has failed because the session ended, its own error says more.
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (limits.ended.aborted) queueMicrotask(stop);
    else waiting.add(stop);
  });
}

/** Resolves with the result of `work`, or with undefined after `ms`. Rejections of `work` count as undefined too. */
export async function settleWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits `ms`, or less when `ended` fires first. */
export function pause(ms: number, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      ended.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ended.addEventListener('abort', done, { once: true });
  });
}
