// Replays of webhook deliveries, as the report of deliveries and the events `replay.progress` describe them. A replay to
// several endpoints has one entry for each endpoint; these entries have the same `id`.

/** @typedef {import('./types.d.ts').Replay} Replay */

/**
 * Identifies an entry: one replay and one of its endpoints.
 * @param {Replay} replay
 */
export const replayKeyOf = ({ id, endpoint }) => `${id} ${endpoint.id}`;

/**
 * The running replays, then all entries of the newest finished one.
 * @param {readonly Replay[]} replays from the report, which lists the newest first
 * @param {ReadonlyMap<string, Replay>} updates entries from the event stream by `replayKeyOf`. They replace those of the
 *   report when their percentage is higher.
 */
export function replaysToShow(replays, updates) {
  const current = replays.map((replay) => {
    const update = updates.get(replayKeyOf(replay));
    return update && update.progress > replay.progress ? update : replay;
  });
  const newestDone = current.find(({ done }) => done)?.id;
  return [...current.filter(({ done }) => !done), ...current.filter(({ done, id }) => done && id === newestDone)];
}
