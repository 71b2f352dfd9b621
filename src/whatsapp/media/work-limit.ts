// A turn of an instance at work that all instances share. More of it than may wait is refused, so that one instance cannot fill the memory.
import { GatewayError } from '../../errors.ts';
import { type FairLimiter, QueueFullError } from '../../lib/fair-limiter.ts';

/** Seconds after which a refused caller may try again. */
const RETRY_AFTER = 5;

/** As FairLimiter.run(). Throws OVERLOADED, `certain` that nothing was sent, when too many tasks of the instance `owner` are waiting. */
export function runLimited<T>(limiter: FairLimiter, owner: string, task: () => Promise<T>): Promise<T> {
  return limiter.run(owner, task).catch((cause: unknown) => {
    if (!(cause instanceof QueueFullError)) throw cause;
    const sentence = 'Too many media files of this instance are waiting: send fewer at once';
    throw new GatewayError('OVERLOADED', sentence, { certain: true, retryAfter: RETRY_AFTER, cause });
  });
}
