// Waits for changes that other processes make without a notification.
const CHECK_INTERVAL = 100;

/**
 * Calls `check` repeatedly. Resolves with its first result that is neither undefined nor false. An error of `check`
 * counts as false. Rejects after `limit` ms, with `what` in the message and the last error as the cause.
 */
export async function until<T>(
  check: () => Promise<T | undefined | false> | T | undefined | false,
  limit: number,
  what: string,
): Promise<T> {
  const end = performance.now() + limit;
  let cause: unknown;
  while (performance.now() < end) {
    try {
      const result = await check();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      cause = error;
    }
    await pause(CHECK_INTERVAL);
  }
  throw new Error(`not within ${limit} ms: ${what}`, { cause });
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
