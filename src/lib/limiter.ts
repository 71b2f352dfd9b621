// Runs tasks in parallel up to a limit. The rest wait in arrival order.

export interface Limiter {
  /** Runs `task` when a slot is free. Settles like the task. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

/** Creates a limiter for `slots` parallel tasks. */
export function createLimiter(slots: number): Limiter {
  const waiting: (() => void)[] = [];
  let free = slots;
  return {
    async run(task) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
