// Restricts the removal of old rows to one node, the leader of the cluster (its oldest live node). Two nodes that
// remove the same rows would only wait for each other's row locks.
import type { Storage } from '../storage/storage.ts';

/** Wraps `storage`. Its `prune…` methods remove nothing and return 0 while `isLeader` returns false. */
export function withLeaderPruning(storage: Storage, isLeader: () => boolean): Storage {
  const { messages, requests, outbox, audit, accessKeys } = storage;
  const onLeader =
    <Args extends unknown[]>(prune: (...args: Args) => Promise<number>) =>
    async (...args: Args) =>
      isLeader() ? prune(...args) : 0;
  return {
    ...storage,
    messages: {
      ...messages,
      prune: onLeader(messages.prune),
      pruneStatuses: onLeader(messages.pruneStatuses),
    },
    requests: { ...requests, prune: onLeader(requests.prune) },
    outbox: { ...outbox, prune: onLeader(outbox.prune) },
    audit: { ...audit, prune: onLeader(audit.prune) },
    accessKeys: { ...accessKeys, prune: onLeader(accessKeys.prune) },
  };
}
