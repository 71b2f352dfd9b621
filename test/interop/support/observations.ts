// Functions that wait for events of a client or a gateway. They do not poll. Their error names the missing event and
// lists the last events.

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

/** Runs checks again after every change. */
export class Changes {
  readonly #checks = new Set<() => void>();

  notify(): void {
    for (const check of this.#checks) check();
  }

  /** Calls `check` now and after every change. Resolves with its first result that is neither undefined nor false. */
  async until<T>(what: string, check: () => T | undefined | false, seen: () => unknown[]): Promise<T> {
    let runCheck: (() => void) | undefined;
    const found = new Promise<T>((resolve, reject) => {
      runCheck = () => {
        try {
          const result = check();
          if (result !== undefined && result !== false) resolve(result);
        } catch (error) {
          reject(error);
        }
      };
      this.#checks.add(runCheck);
      runCheck();
    });
    try {
      return await withTimeout(found, what, seen);
    } finally {
      if (runCheck) this.#checks.delete(runCheck);
    }
  }
}
