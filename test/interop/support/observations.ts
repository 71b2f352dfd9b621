// Waiting for what a client or a gateway shows, without polling and with an error that says what was missing.

/** ms. Ends only a wait for something that does not come. */
const LIMIT = 120_000;

/** Rejects with `what` and the result of `seen` when `promise` is pending after LIMIT. */
export async function within<T>(promise: Promise<T>, what: string, seen: () => unknown[]): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`missing: ${what}\nseen:\n${show(seen())}`)), LIMIT);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** One line per observation, shortened. */
const show = (seen: unknown[]): string =>
  seen
    .slice(-12)
    .map((one) => JSON.stringify(one, (_key, part) => (part instanceof Uint8Array ? part.length : part)).slice(0, 300))
    .join('\n');

/** Runs checks again after every change. */
export class Changes {
  readonly #checks = new Set<() => void>();

  notify(): void {
    for (const check of this.#checks) check();
  }

  /** Resolves with the first result of `check` that is neither undefined nor false, now or after a change. */
  async until<T>(what: string, check: () => T | undefined | false, seen: () => unknown[]): Promise<T> {
    let look: (() => void) | undefined;
    const found = new Promise<T>((resolve, reject) => {
      look = () => {
        try {
          const result = check();
          if (result !== undefined && result !== false) resolve(result);
        } catch (error) {
          reject(error);
        }
      };
      this.#checks.add(look);
      look();
    });
    try {
      return await within(found, what, seen);
    } finally {
      if (look) this.#checks.delete(look);
    }
  }
}
