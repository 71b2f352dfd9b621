// Runs media work with a fair limiter that all instances share. A task is refused when the queue of its instance is
// full, so that one instance cannot fill the memory. Decision D-154.
import { GatewayError } from '../../errors.ts';
import { type FairLimiter, QueueFullError } from '../../lib/fair-limiter.ts';

/** Value of the Retry-After header. */
const RETRY_AFTER_SECONDS = 5;

/** Returns OVERLOADED for media work that was not started. `certain: true` means that nothing was sent. */
export const mediaOverloadedError = (sentence: string, cause?: unknown): GatewayError =>
  new GatewayError('OVERLOADED', sentence, { certain: true, retryAfter: RETRY_AFTER_SECONDS, cause });

/**
 * Runs `task` with FairLimiter.run() for the instance `owner`. Throws mediaOverloadedError() when too many tasks of the
 * instance are waiting.
 */
export function runLimited<T>(limiter: FairLimiter, owner: string, task: () => Promise<T>): Promise<T> {
  return limiter.run(owner, task).catch((cause: unknown) => {
    if (!(cause instanceof QueueFullError)) throw cause;
    throw mediaOverloadedError('Too many media files of this instance are waiting: send fewer at once', cause);
  });
}
