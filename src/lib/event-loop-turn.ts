// Runs callbacks at the end of the current turn, which is one iteration of the event loop. Code that forms a batch per
// turn, and not per time interval, has larger batches under load and no delay in an idle process.

/**
 * Calls `callback` once at the end of the current turn. It is for code that passes the events, results or frames of the
 * turn on as one batch. Callbacks run in the order of the calls.
 */
export function atTurnEnd(callback: () => void): void {
  // The event loop runs immediates after the I/O callbacks of an iteration.
  setImmediate(callback);
}

/**
 * Calls `callback` once, at the end of the next turn: after all atTurnEnd() callbacks of the current turn and the
 * promise reactions that they start. The store commits in such a callback. Its transaction therefore includes the
 * batches of the current turn, and the work that arrives in the next turn. Callbacks run in the order of the calls.
 */
export function afterTurnEnd(callback: () => void): void {
  // An immediate that is set by an immediate runs one iteration later.
  setImmediate(() => setImmediate(callback));
}

/** Resolves at the end of the current turn. */
export function turnEnd(): Promise<void> {
  return new Promise((resolve) => atTurnEnd(resolve));
}
