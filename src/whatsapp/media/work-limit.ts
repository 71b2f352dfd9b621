// Runs media work with a fair limiter that all instances share. A task is refused when the queue of its instance is
// full, so that one instance cannot fill the memory. Decision D-154.
import { GatewayError } from '../../errors.ts';
import { type FairLimiter, QueueFullError } from '../../lib/fair-limiter.ts';

/** Value of the Retry-After header, s. */
const RETRY_AFTER = 5;

/**
 * Runs `task` with FairLimiter.run() for the instance `owner`. When too many tasks of the instance are waiting, throws
 * OVERLOADED with `certain: true`, because the task has not started and nothing was sent.
 */
export function runLimited<T>(limiter: FairLimiter, owner: string, task: () => Promise<T>): Promise<T> {
  return limiter.run(owner, task).catch((cause: unknown) => {
    if (!(cause instanceof QueueFullError)) throw cause;
    const sentence = 'Too many media files of this instance are waiting: send fewer at once';
    throw new GatewayError('OVERLOADED', sentence, { certain: true, retryAfter: RETRY_AFTER, cause });
  });
}
