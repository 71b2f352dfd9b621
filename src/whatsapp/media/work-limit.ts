// Limits work that all instances share. Tasks beyond the queue are refused, so that one instance cannot fill the
// memory.
import { GatewayError } from '../../errors.ts';
import { type FairLimiter, QueueFullError } from '../../lib/fair-limiter.ts';

/** Seconds for Retry-After. */
const RETRY_AFTER = 5;

/**
 * Runs `task` as FairLimiter.run(). Throws OVERLOADED, certain that nothing was sent, when too many tasks of the
 * instance `owner` wait.
 */
export function runLimited<T>(limiter: FairLimiter, owner: string, task: () => Promise<T>): Promise<T> {
  return limiter.run(owner, task).catch((cause: unknown) => {
    if (!(cause instanceof QueueFullError)) throw cause;
    const sentence = 'Too many media files of this instance are waiting: send fewer at once';
    throw new GatewayError('OVERLOADED', sentence, { certain: true, retryAfter: RETRY_AFTER, cause });
  });
}
