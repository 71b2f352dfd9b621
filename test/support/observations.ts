// A time limit for waits for events of a client or a gateway. Its error names the missing event and lists the last ones.

/** Ends a wait for an event that does not come. Other waits end much earlier. */
const TIMEOUT_MS = 120_000;

/** Rejects with `what` and the result of `seen` when `promise` is pending after TIMEOUT_MS. */
export async function withTimeout<T>(promise: Promise<T>, what: string, seen: () => unknown[]): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`missing: ${what}\nseen:\n${format(seen())}`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** One line per observation, shortened. */
const format = (seen: unknown[]): string =>
  seen
    .slice(-12)
    .map((observation) =>
      JSON.stringify(observation, (_key, value) => (value instanceof Uint8Array ? value.length : value)).slice(0, 300),
    )
    .join('\n');
