// Opens files that occupy a slot of a fair limiter until they are closed.
import type { FairLimiter } from '../../lib/fair-limiter.ts';
import { mediaOverloadedError, runLimited } from './work-limit.ts';

export interface SlotWait {
  /** Maximum wait for a slot, ms. */
  timeout: number;
  /** Text of the error OVERLOADED after `timeout`. */
  timeoutText: string;
  /** After an abort, `open` is not called, or its file is closed at once, because the caller does not get the file. */
  signal?: AbortSignal;
}

/**
 * Calls `open` when a slot is free for the instance with the id `owner`, and resolves with the file. The slot is free
 * again when the file is closed. Rejects with OVERLOADED when no slot is free within `timeout`, or when too many files
 * of the instance are waiting. Also rejects with the reason of `signal` and with the errors of `open`.
 */
export function openInSlot<File extends { close(): Promise<void> }>(
  limiter: FairLimiter,
  owner: string,
  open: () => Promise<File>,
  { timeout, timeoutText, signal }: SlotWait,
): Promise<File> {
  const opened = Promise.withResolvers<File>();
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    opened.reject(mediaOverloadedError(timeoutText));
  }, timeout).unref();
  const openAndHold = async () => {
    clearTimeout(timer);
    if (hasTimedOut) return;
    signal?.throwIfAborted();
    const file = await open();
    const closed = Promise.withResolvers<void>();
    const close = () => file.close().finally(closed.resolve);
    if (signal?.aborted) await close();
    else opened.resolve({ ...file, close });
    signal?.throwIfAborted();
    await closed.promise;
  };
  runLimited(limiter, owner, openAndHold)
    .catch(opened.reject)
    .finally(() => clearTimeout(timer));
  return opened.promise;
}
