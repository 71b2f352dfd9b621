// Bounds Baileys' cache of LIDs (ids that hide the number of a person), removes numbers that have a new owner, and
// moves the sessions of a number to its LID without losing those of the LID.
// Why: the cache has no maximum size and a timer per entry. When a number gets another LID, Baileys keeps the number
//   under its earlier LID too, and addresses messages to that LID by the number, which belongs to another person. When
//   a person answers, Baileys replaces the sessions of the LID with older ones of the number: the answer cannot be
//   decrypted.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: LIDMappingStore has a cache with a maximum size, and removes the number from its earlier LID; and
//   `migrateSession` keeps the sessions of the LID.

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

/** The numbers and LIDs that a Signal repository knows to belong together. Each repository needs one of its own. */
export class KnownPairs {
  readonly cache = new LidMappingCache();
  /** User part of the LID to which the session of a device was moved, by the device's number and id. */
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
 * Wraps a factory of Signal repositories, which keep what they know in `pairs`. `store` is their key store without
 * transactions: during the transaction that writes mappings, the key store with transactions cannot read mappings.
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

/** Returns the removals of the entries in which an earlier LID still has a number that `mappings` gives another LID. */
async function removalsFor(
  mappings: Readonly<Record<string, string | null>>,
  cache: LidMappingCache,
  reader: LidMappingReader,
): Promise<Record<string, null>> {
  /** The numbers that move, by the id of the entry of their earlier LID. */
  const numbersByReverseId = new Map<string, string>();
  for (const [number, lidUser] of Object.entries(mappings)) {
    // Baileys has read the earlier LID, and has cached it, before it writes another one.
    const earlier = cache.get(`pn:${number}`);
    if (earlier !== undefined && earlier !== lidUser) numbersByReverseId.set(reverseIdOf(earlier), number);
  }
  if (numbersByReverseId.size === 0) return {};
  const stored = await reader.get('lid-mapping', [...numbersByReverseId.keys()]);
  // An earlier LID that has another number by now keeps that number.
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
