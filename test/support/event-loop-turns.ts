// Counts the turns of the event loop during asynchronous work. Work that blocks the event loop has few turns.

/** Resolves with the result of `work` and the number of turns until it has settled. */
export async function countTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  turn();
  const result = await work();
  isDone = true;
  return { result, turns };
}
