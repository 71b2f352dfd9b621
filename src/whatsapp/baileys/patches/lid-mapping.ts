// Bounds Baileys' cache of LIDs (ids that hide the number of a person), and removes numbers that have a new owner.
// Why: the cache has no maximum size and a timer per entry. When a number gets another LID, Baileys keeps the number
//   under its earlier LID too, and addresses messages to that LID by the number, which belongs to another person.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: LIDMappingStore has a cache with a maximum size, and removes the number from its earlier LID.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type LidMappingReader, readLidMappings, reverseIdOf } from '../auth/lid-mappings.ts';
import type { SignalDataSet, SocketConfig } from '../library.ts';

type CreateRepository = SocketConfig['makeSignalRepository'];

/** Maximum number of pairs in the cache. The oldest pairs are evicted. */
const MAX_PAIRS = 10_000;

/**
 * Wraps a factory of Signal repositories. `reader` is their key store without transactions: during the transaction that
 * writes mappings, the key store with transactions cannot read mappings.
 */
export function withLidMappings(create: CreateRepository, reader: LidMappingReader): CreateRepository {
  return (auth, logger, pnToLid) => {
    const repository = create(auth, logger, pnToLid);
    const { keys } = auth;
    const cache = new LidMappingCache();
    Reflect.set(repository.lidMapping, 'mappingCache', cache);
    Reflect.set(repository.lidMapping, 'keys', {
      ...keys,
      get: async (_type: 'lid-mapping', ids: string[]) => Object.fromEntries(await readLidMappings(keys, ids)),
      set: async (data: SignalDataSet) => {
        const removals = await removalsFor(data['lid-mapping'] ?? {}, cache, reader);
        return keys.set({ 'lid-mapping': { ...removals, ...data['lid-mapping'] } });
      },
    });
    return repository;
  };
}

/** Returns the removals of the numbers that `mappings` gives another LID from their earlier LIDs. */
async function removalsFor(
  mappings: Readonly<Record<string, string | null>>,
  cache: LidMappingCache,
  reader: LidMappingReader,
): Promise<Record<string, null>> {
  const numbersByReverseId = new Map<string, string>();
  for (const [number, lidUser] of Object.entries(mappings)) {
    // Baileys has read the earlier LID, and has cached it, before it writes another one.
    const earlier = cache.get(`pn:${number}`);
    if (earlier !== undefined && earlier !== lidUser) numbersByReverseId.set(reverseIdOf(earlier), number);
  }
  if (numbersByReverseId.size === 0) return {};
  const stored = await reader.get('lid-mapping', [...numbersByReverseId.keys()]);
  // A LID that has another number by now keeps it.
  const outdated = [...numbersByReverseId].filter(([id, number]) => stored[id] === number);
  return Object.fromEntries(outdated.map(([id]) => [id, null]));
}

/**
 * The members of an LRUCache that LIDMappingStore uses. The entry `pn:<number>` has the LID, and `lid:<LID>` has the
 * number. An entry with a new value removes the entry of its earlier value.
 */
class LidMappingCache {
  #entries = new BoundedMap<string, string>(2 * MAX_PAIRS);

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: string): void {
    const earlier = this.#entries.get(key);
    if (earlier !== undefined && earlier !== value) this.#removePartner(key, earlier);
    // Only an entry that is deleted first becomes the newest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }

  clear(): void {
    this.#entries = new BoundedMap(2 * MAX_PAIRS);
  }

  #removePartner(key: string, value: string): void {
    const [kind = '', user] = key.split(':');
    const partner = `${kind === 'pn' ? 'lid' : 'pn'}:${value}`;
    if (this.#entries.get(partner) === user) this.#entries.delete(partner);
  }
}
