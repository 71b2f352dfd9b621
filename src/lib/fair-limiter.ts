// Runs tasks of several owners, such as instances, in parallel up to a limit, round-robin by owner, so that one owner
// cannot block the others.

export interface FairLimiterOptions {
  /** Maximum number of tasks that run at the same time. */
  slots: number;
  /** Maximum number of tasks of one owner that run at the same time. */
  perOwner: number;
  /** Maximum number of waiting tasks of one owner. */
  waitingPerOwner: number;
}

export interface FairLimiter {
  /**
   * Runs `task` when a slot is free and it is the turn of `owner`, and settles like the task. Rejects with
   * QueueFullError when too many tasks of the owner are waiting.
   */
  run<T>(owner: string, task: () => Promise<T>): Promise<T>;
}

/** The owner has `waitingPerOwner` tasks waiting already. */
export class QueueFullError extends Error {}

export function createFairLimiter({ slots, perOwner, waitingPerOwner }: FairLimiterOptions): FairLimiter {
  /** The waiting tasks by owner. The owner whose turn is next comes first. */
  const queues = new Map<string, (() => void)[]>();
  /** Number of running tasks by owner. */
  const running = new Map<string, number>();
  let usedSlots = 0;
  const runningOf = (owner: string) => running.get(owner) ?? 0;

  const acquire = (owner: string) => {
    usedSlots += 1;
    running.set(owner, runningOf(owner) + 1);
  };
  const release = (owner: string) => {
    usedSlots -= 1;
    const remaining = runningOf(owner) - 1;
    if (remaining === 0) running.delete(owner);
    else running.set(owner, remaining);
  };
  /** Starts the first waiting task of the next owner that is below its limit. */
  const startNext = () => {
    if (usedSlots >= slots) return;
    for (const [owner, queue] of queues) {
      if (runningOf(owner) >= perOwner) continue;
      const start = queue.shift();
      // Deleted and added again, so that this owner comes after all others.
      queues.delete(owner);
      if (queue.length > 0) queues.set(owner, queue);
      acquire(owner);
      start?.();
      return;
    }
  };

  return {
    async run(owner, task) {
      // While a slot is free, all waiting tasks belong to owners at their limit. This task overtakes no task that could
      // run now.
      if (usedSlots < slots && runningOf(owner) < perOwner) acquire(owner);
      else {
        const queue = queues.get(owner) ?? [];
        if (queue.length >= waitingPerOwner) throw new QueueFullError('too many tasks are waiting');
        queues.set(owner, queue);
        await new Promise<void>((start) => queue.push(start));
      }
      try {
        return await task();
      } finally {
        release(owner);
        startNext();
      }
    },
  };
}
