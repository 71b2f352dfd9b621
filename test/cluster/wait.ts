// Waiting for what other processes do without notice.
const PAUSE = 100;

/**
 * Resolves with the first answer of `check` that is neither undefined nor false, asked over and over; a check that throws has not
 * succeeded yet. Rejects after `limit` ms, naming `what` and the last error.
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
      const found = await check();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      cause = error;
    }
    await pause(PAUSE);
  }
  throw new Error(`not within ${limit} ms: ${what}`, { cause });
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
