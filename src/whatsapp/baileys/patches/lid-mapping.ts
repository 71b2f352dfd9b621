// Bounds Baileys' cache of LIDs (ids that hide the number of a person), removes numbers that have a new owner, and
// moves the sessions of a number to its LID without losing those of the LID.
// Why: the cache has no maximum size and a timer per entry. When a number moves from LID A to LID B, Baileys keeps the
//   number under A, too. It then addresses messages for A by this number, which belongs to the owner of B. When a
//   person answers, Baileys replaces the sessions of the person's LID with older sessions of the number, and cannot
//   decrypt the answer.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: LIDMappingStore has a cache with a maximum size, and removes a number from its earlier LID when the
//   number gets another LID; and `migrateSession` keeps the sessions of the LID.

import { AsyncLocalStorage } from 'node:async_hooks';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { toChunks } from '../../../lib/chunks.ts';
import { type LidMappingReader, lidUserIn, readLidMappings, reverseIdOf } from '../auth/lid-mappings.ts';
import { type KnownLid, moveSessions, type SessionStore } from '../auth/session-migration.ts';
import {
  isHostedLidUser,
  isHostedPnUser,
  isLidUser,
  isPnUser,
  jidDecode,
  type SignalDataSet,
  type SignalRepositoryWithLIDStore,
  type SocketConfig,
} from '../library.ts';
import type { Sender } from './direct-messages.ts';

type CreateRepository = SocketConfig['makeSignalRepository'];

/** Maximum number of pairs in the cache. The oldest pairs are evicted. */
const MAX_PAIRS = 10_000;
/** Number of people whose sessions are moved at once. A history names thousands of people. */
const PEOPLE_PER_MOVE = 500;
/** Maximum number of devices whose sessions are known to be moved. The oldest ones are evicted. */
const MAX_MOVED_DEVICES = 1_000;

/** The numbers and LIDs that a Signal repository knows to belong together. Each repository needs its own KnownPairs. */
export class KnownPairs {
  readonly cache = new LidMappingCache();
  /** By device (deviceKeyOf): the user part of the LID to which the session of the device was moved. */
  readonly movedTo = new BoundedMap<string, string>(MAX_MOVED_DEVICES);

  /**
   * True when a message of `sender` brings Baileys nothing new: the pair is stored and, for a message that is addressed
   * by LID, the session of the device is moved.
   */
  isSettled({ lid, numberJid, addressing }: Sender): boolean {
    if (!isLidUser(lid) || !isPnUser(numberJid)) return false;
    const [to, from] = [jidDecode(lid), jidDecode(numberJid)];
    if (!to || !from || this.cache.get(`pn:${from.user}`) !== to.user) return false;
    return addressing === 'lid'
      ? this.movedTo.get(deviceKeyOf(from)) === to.user
      : this.cache.get(`lid:${to.user}`) === from.user;
  }
}

const deviceKeyOf = ({ user, device = 0 }: { user: string; device?: number | undefined }): string =>
  `${user}.${device}`;

/**
 * Wraps a factory of Signal repositories. The repositories keep what they know in `pairs`. `store` is the key store of
 * the repositories without transactions: the key store with transactions cannot read mappings during the transaction
 * that writes mappings.
 */
export function withLidMappings(create: CreateRepository, store: SessionStore, pairs: KnownPairs): CreateRepository {
  return (auth, logger, pnToLid) => {
    const repository = create(auth, logger, pnToLid);
    const { keys } = auth;
    const { cache } = pairs;
    /** The people whose LIDs the current call of storeLIDPNMappings() has added. Calls can overlap. */
    const added = new AsyncLocalStorage<KnownLid[]>();
    const { lidMapping } = repository;
    Reflect.set(lidMapping, 'mappingCache', cache);
    Reflect.set(lidMapping, 'keys', {
      ...keys,
      get: async (_type: 'lid-mapping', ids: string[]) => Object.fromEntries(await readLidMappings(keys, ids)),
      set: async (data: SignalDataSet) => {
        const mappings = data['lid-mapping'] ?? {};
        const removals = await removalsFor(mappings, cache, store);
        await keys.set({ 'lid-mapping': { ...removals, ...mappings } });
        for (const person of knownLidsIn(mappings)) added.getStore()?.push(person);
      },
    });
    const storeMappings = lidMapping.storeLIDPNMappings.bind(lidMapping);
    lidMapping.storeLIDPNMappings = async (mappings) => {
      const people: KnownLid[] = [];
      await added.run(people, () => storeMappings(mappings));
      for (const portion of toChunks(people, PEOPLE_PER_MOVE)) await moveSessions(store, portion);
    };
    repository.migrateSession = createMigration(store, pairs);
    return repository;
  };
}

/** Returns the people whose LIDs `mappings` contains. */
function knownLidsIn(mappings: Readonly<Record<string, string | null>>): KnownLid[] {
  return Object.entries(mappings).flatMap(([number, lidUser]) =>
    lidUser && lidUserIn(number) === undefined ? [{ number, lidUser }] : [],
  );
}

/** Returns a replacement of migrateSession(), which Baileys calls for nearly every received message. */
function createMigration(store: SessionStore, { movedTo }: KnownPairs): SignalRepositoryWithLIDStore['migrateSession'] {
  return async (fromJid, toJid) => {
    const isMove = (isPnUser(fromJid) || isHostedPnUser(fromJid)) && (isLidUser(toJid) || isHostedLidUser(toJid));
    const [from, to] = [jidDecode(fromJid), jidDecode(toJid)];
    let migrated = 0;
    if (isMove && from && to && movedTo.get(deviceKeyOf(from)) !== to.user) {
      migrated = await moveSessions(store, [{ number: from.user, lidUser: to.user, device: from.device ?? 0 }]);
      movedTo.set(deviceKeyOf(from), to.user);
    }
    return { migrated, skipped: 0, total: migrated };
  };
}

/**
 * Returns removals of outdated entries. The entry of a LID is outdated when it contains a number that gets another LID
 * from `mappings`.
 */
async function removalsFor(
  mappings: Readonly<Record<string, string | null>>,
  cache: LidMappingCache,
  reader: LidMappingReader,
): Promise<Record<string, null>> {
  /** The numbers that get another LID, by the id of the entry of their earlier LID. */
  const numbersByReverseId = new Map<string, string>();
  for (const [number, lidUser] of Object.entries(mappings)) {
    // Baileys has read the earlier LID, and has cached it, before it writes another one.
    const earlier = cache.get(`pn:${number}`);
    if (earlier !== undefined && earlier !== lidUser) numbersByReverseId.set(reverseIdOf(earlier), number);
  }
  if (numbersByReverseId.size === 0) return {};
  const stored = await reader.get('lid-mapping', [...numbersByReverseId.keys()]);
  // The entry of an earlier LID stays if it contains another number by now.
  const outdated = [...numbersByReverseId].filter(([id, number]) => stored[id] === number);
  return Object.fromEntries(outdated.map(([id]) => [id, null]));
}

/**
 * Replaces the LRUCache of LIDMappingStore, and has only the members that LIDMappingStore uses. The entry `pn:<number>`
 * has the LID, and `lid:<LID>` has the number. When an entry gets a new value, the reverse entry of its earlier value
 * is removed.
 */
class LidMappingCache {
  #entries = new BoundedMap<string, string>(2 * MAX_PAIRS);

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: string): void {
    const earlier = this.#entries.get(key);
    if (earlier !== undefined && earlier !== value) this.#removePartner(key, earlier);
    // A BoundedMap moves an existing entry to the newest place only if the entry is deleted first.
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
