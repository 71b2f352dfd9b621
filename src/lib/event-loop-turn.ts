// Runs callbacks at the end of the current turn, which is one iteration of the event loop. Code that batches its work
// per turn, instead of per time interval, has larger batches under load and no delay in an idle process.

/**
 * Calls `callback` once at the end of the current turn. It is for code that passes the events, results or frames of the
 * turn on as one batch. Callbacks run in the order of the calls.
 */
export function atTurnEnd(callback: () => void): void {
  // The event loop runs immediates after the I/O callbacks of an iteration.
  setImmediate(callback);
}

/**
 * Calls `callback` once, after all atTurnEnd() callbacks of the current turn and the promise reactions that they start.
 * The store commits then, so that its transaction includes the batches of the turn, and also work of the next turn that
 * arrives before the commit. Callbacks run in the order of the calls.
 */
export function afterTurnEnd(callback: () => void): void {
  // An immediate that is set by an immediate runs an iteration later.
  setImmediate(() => setImmediate(callback));
}

/** Resolves at the end of the current turn. */
export function turnEnd(): Promise<void> {
  return new Promise((resolve) => atTurnEnd(resolve));
}
