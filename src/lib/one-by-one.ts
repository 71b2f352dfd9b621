// Lets the calls of a function wait for each other.

type Handle<T> = (item: T) => Promise<void> | undefined;

/**
 * Returns a function that calls `handle` with one item after the other, in the order of the calls. The function calls
 * `handle` at once, and returns what it returns, when no earlier item is in progress. An error goes to the caller of its
 * item only.
 */
export function oneByOne<T>(handle: Handle<T>): Handle<T> {
  /** Resolves when all items so far are handled or have failed; undefined when none is in progress. */
  let last: Promise<void> | undefined;
  return (item) => {
    const handled = last ? last.then(() => handle(item)) : handle(item);
    if (!handled) return undefined;
    const settled = handled
      .catch(() => undefined)
      .then(() => {
        if (last === settled) last = undefined;
      });
    last = settled;
    return handled;
  };
}
