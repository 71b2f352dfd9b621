// Limits the wait for a promise by a timeout and by an abort signal. The work itself continues; its late result is
// ignored.

export interface DeadlineOptions {
  /** Maximum wait. */
  timeoutMs: number;
  /** Creates the error of the timeout. */
  toTimeoutError: () => Error;
  /** Ends the wait when it is aborted, for example at the end of a session. */
  signal: AbortSignal;
  /** Creates the error of the abort. */
  toAbortError: () => Error;
}

/**
 * For each signal, the abort callbacks of the waits in progress. Each signal has one listener, because adding a
 * listener per wait is slow.
 */
const callbacksBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** Returns the abort callbacks of the signal. The first call for a signal adds the listener that calls them. */
function ensureAbortCallbacks(signal: AbortSignal): Set<() => void> {
  const existing = callbacksBySignal.get(signal);
  if (existing) return existing;
  const callbacks = new Set<() => void>();
  callbacksBySignal.set(signal, callbacks);
  const callAll = () => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
}

/** Settles like `work`, or rejects with the error of the limit that is reached first. */
export function withDeadline<T>(work: Promise<T>, limits: DeadlineOptions): Promise<T> {
  const callbacks = ensureAbortCallbacks(limits.signal);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(limits.toTimeoutError())), limits.timeoutMs);
    // `work.then()` comes before the check of the abort, so that an error of `work` takes precedence. When the abort
    // has made `work` fail, the error of `work` is more precise than the error of the abort.
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (limits.signal.aborted) queueMicrotask(onAbort);
    else callbacks.add(onAbort);

    function onAbort(): void {
      settle(() => reject(limits.toAbortError()));
    }
    function settle(finish: () => void): void {
      clearTimeout(timer);
      callbacks.delete(onAbort);
      finish();
    }
  });
}

/**
 * Settles like `work`. Rejects with the reason of `signal` as soon as `signal` is aborted, without a wait for `work`.
 */
export async function raceWithAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
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

/** Resolves after `ms`, or when `signal` is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });

    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
