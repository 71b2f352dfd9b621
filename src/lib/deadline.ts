// Limits the wait for a promise by a timeout and by an abort signal. The work itself continues; its late result is
// ignored.

export interface DeadlineOptions {
  /** ms. */
  after: number;
  /** Creates the error after the timeout. */
  onTimeout: () => Error;
  /** Ends the wait, for example when a session ends. */
  ended: AbortSignal;
  /** Creates the error for that. */
  onEnded: () => Error;
}

/**
 * Abort callbacks by signal. One listener per signal serves all waits, because adding a listener for each send is slow.
 */
const CALLBACKS_BY_SIGNAL = new WeakMap<AbortSignal, Set<() => void>>();

function abortCallbacksOf(ended: AbortSignal): Set<() => void> {
  const existing = CALLBACKS_BY_SIGNAL.get(ended);
  if (existing) return existing;
  const callbacks = new Set<() => void>();
  CALLBACKS_BY_SIGNAL.set(ended, callbacks);
  const callAll = () => {
    for (const callback of callbacks) callback();
  };
  ended.addEventListener('abort', callAll, { once: true });
  return callbacks;
}

/** Settles like `work`, or rejects with the error of the limit that is reached first. */
export function withDeadline<T>(work: Promise<T>, limits: DeadlineOptions): Promise<T> {
  const callbacks = abortCallbacksOf(limits.ended);
  return new Promise((resolve, reject) => {
    const onAbort = () => settle(() => reject(limits.onEnded()));
    const timer = setTimeout(() => settle(() => reject(limits.onTimeout())), limits.after);
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      callbacks.delete(onAbort);
      finish();
    };
    // Attached before the abort: when the work failed because of it, its own error is more precise.
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (limits.ended.aborted) queueMicrotask(onAbort);
    else callbacks.add(onAbort);
  });
}

/** Resolves with the result of `work`, or with undefined after `ms` or when `work` rejects. */
export async function settleWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work.catch(() => undefined), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits `ms`, or until `ended` is aborted. */
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
