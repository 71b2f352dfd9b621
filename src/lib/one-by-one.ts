// Makes the calls of a function run one after another.

/** Handles an item. Returns undefined when the item is handled before the function returns. */
type Handle<T> = (item: T) => Promise<void> | undefined;

/**
 * Returns a function that calls `handle` with one item after the other, in the order of the calls. When no earlier item
 * is in progress, the function calls `handle` at once and returns its result. When `handle` fails, only the caller that
 * passed the item gets the error.
 */
export function handleOneByOne<T>(handle: Handle<T>): Handle<T> {
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
