// A promise with an end: by time, or because the session is gone. The work itself cannot be stopped; its late result is ignored.

export interface Limits {
  /** Milliseconds. */
  after: number;
  /** What the caller gets when time is up. */
  onTimeout: () => Error;
  /** Fires when the session ends. */
  ended: AbortSignal;
  /** What the caller gets when it did. */
  onEnded: () => Error;
}

/** Settles like `work` when that is in time and the session lasts; otherwise rejects with the error of the limit that was met first. */
export function within<T>(work: Promise<T>, limits: Limits): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => settle(() => reject(limits.onEnded()));
    const timer = setTimeout(() => settle(() => reject(limits.onTimeout())), limits.after);
    const settle = (answer: () => void) => {
      clearTimeout(timer);
      limits.ended.removeEventListener('abort', stop);
      answer();
    };
    // The work is attached first: when it has failed because the session ended, its own error says more.
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (limits.ended.aborted) queueMicrotask(stop);
    else limits.ended.addEventListener('abort', stop, { once: true });
  });
}

/** Resolves with the result of `work`, or with undefined after `ms`. Rejections of `work` count as undefined too. */
export async function bounded<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
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
