// Batching by turns of the event loop: runs a callback when the callbacks of the current turn have run.
//
// A turn is one iteration of the event loop. Code that batches what a turn produces waits for its end instead of a
// time, so that batches grow under load and an idle process does not wait. A turn ends in two phases, so that batches
// of one part enter a batch of another:
//   1. collect: for code that collects events, results or frames of the turn and hands them on as one batch.
//   2. commit: after every `collect` callback of the turn and the promise reactions they start. For the store, whose
// transaction then
//      includes the batches that were handed over in phase 1. Work of the next turn that arrives before the commit is
// included too.

export type TurnPhase = 'collect' | 'commit';

/**
 * Calls `callback` once, in the given phase of the end of this turn. Callbacks of a phase run in the order of the
 * calls.
 */
export function atTurnEnd(phase: TurnPhase, callback: () => void): void {
  // The event loop runs immediates after the I/O callbacks of an iteration; an immediate set by an immediate runs an
  // iteration later.
  if (phase === 'collect') setImmediate(callback);
  else setImmediate(() => setImmediate(callback));
}

/** Resolves in the `collect` phase of this turn. */
export function turnEnd(): Promise<void> {
  return new Promise((resolve) => atTurnEnd('collect', resolve));
}
