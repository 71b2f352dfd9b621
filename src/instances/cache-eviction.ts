// The instance store, whose deletions also end what others remember of the instance: its webhooks and streams.
import type { Storage } from '../storage/storage.ts';

export function withCacheEviction(
  instances: Storage['instances'],
  ...memories: readonly { forget(instanceId: string): void }[]
): Storage['instances'] {
  return {
    create: (row) => instances.create(row),
    get: (id) => instances.get(id),
    list: (ids) => instances.list(ids),
    update: (id, patch) => instances.update(id, patch),
    counts: (id) => instances.counts(id),
    async delete(id) {
      await instances.delete(id);
      for (const memory of memories) memory.forget(id);
    },
  };
}
