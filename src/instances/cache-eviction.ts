// Extends the instance store: the deletion of an instance also removes it from the in-memory caches of other parts.
import type { Storage } from '../storage/storage.ts';

/** Wraps `instances`: after a deletion, calls `forget` of every cache. */
export function withCacheEviction(
  instances: Storage['instances'],
  ...caches: readonly { forget(instanceId: string): void }[]
): Storage['instances'] {
  return {
    create: (row, session, webhook) => instances.create(row, session, webhook),
    get: (id) => instances.get(id),
    list: (ids) => instances.list(ids),
    identities: (ids) => instances.identities(ids),
    update: (id, patch) => instances.update(id, patch),
    counts: (id) => instances.counts(id),
    async delete(id, signal) {
      await instances.delete(id, signal);
      for (const cache of caches) cache.forget(id);
    },
  };
}
