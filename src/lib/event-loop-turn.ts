// Runs callbacks at the end of the current turn, which is one iteration of the event loop. Code that batches its work
// per turn, instead of per time interval, has larger batches under load and no delay in an idle process.

/**
 * A turn ends in two phases:
 * - `collect` is for code that passes the events, results or frames of the turn on as one batch.
 * - `commit` follows all `collect` callbacks and the promise reactions that they start. The store commits then, so that
 *   its transaction includes these batches, and also work of the next turn that arrives before the commit.
 */
export type TurnPhase = 'collect' | 'commit';

/** Calls `callback` once, in this phase of the end of the current turn. Callbacks of a phase run in calling order. */
export function atTurnEnd(phase: TurnPhase, callback: () => void): void {
  // The event loop runs immediates after the I/O callbacks of an iteration; an immediate set by an immediate runs an
  // iteration later.
  if (phase === 'collect') setImmediate(callback);
  else setImmediate(() => setImmediate(callback));
}

/** Resolves in the `collect` phase of the current turn. */
export function turnEnd(): Promise<void> {
  return new Promise((resolve) => atTurnEnd('collect', resolve));
}
