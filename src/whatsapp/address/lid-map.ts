// Maps phone-number JIDs to LIDs and back, from the mappings that this instance has stored. It sends no query
// (getLIDForPN of Baileys does), so that every event can use it.
import { BoundedMap } from '../../lib/bounded-map.ts';
import { allChildrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { isLid, isUser, toBareJid, userOf } from './jid.ts';

/** Maps each JID (without device) to its alternate: phone-number JID → LID and LID → phone-number JID. */
export type LidPairs = ReadonlyMap<string, string>;

/** Reads stored mappings from the key store of Baileys, or from the database while there is no socket. */
export interface LidKeys {
  get(type: 'lid-mapping', ids: string[]): Promise<Record<string, string>> | Record<string, string>;
}

/** Returns the stored pairs of `jids`, in both directions. Skips JIDs that are neither phone numbers nor LIDs. */
export async function lookupLids(keys: LidKeys, jids: Iterable<string>): Promise<LidPairs> {
  const jidsById = new Map<string, string>();
  for (const full of jids) {
    const jid = toBareJid(full);
    // Baileys stores both directions under the type `lid-mapping`: user → LID user, and `<LID user>_reverse` → user.
    if (isUser(jid)) jidsById.set(userOf(jid), jid);
    else if (isLid(jid)) jidsById.set(`${userOf(jid)}_reverse`, jid);
  }
  const lidPairs = new Map<string, string>();
  if (jidsById.size === 0) return lidPairs;
  const found = await keys.get('lid-mapping', [...jidsById.keys()]);
  for (const [id, name] of Object.entries(found)) {
    const jid = jidsById.get(id);
    if (!jid || !name) continue;
    const alternate = isLid(jid) ? `${name}@s.whatsapp.net` : `${name}@lid`;
    lidPairs.set(jid, alternate);
    lidPairs.set(alternate, jid);
  }
  return lidPairs;
}

interface Pair {
  lid: string;
  pn: string;
}

/** Pairs in the cache; the oldest are evicted. */
const MAX_PAIRS = 10_000;

/**
 * Caches the pairs in group notifications and group records. Baileys reports only some of these pairs and stores none.
 * The cache also stores them, like the pairs of messages; the event of the same notification needs them before that
 * write ends.
 */
export class LidCache {
  readonly #pairs = new BoundedMap<string, string>(2 * MAX_PAIRS);
  #store: (pairs: Pair[]) => void = () => undefined;

  listen({ ws, signalRepository }: Pick<Socket, 'ws' | 'signalRepository'>, onFailure: (err: unknown) => void): void {
    this.#store = (pairs) => void signalRepository.lidMapping.storeLIDPNMappings(pairs).catch(onFailure);
    ws.on('CB:notification,type:w:gp2', (node: Stanza) => this.#addPairs(pairsIn(node)));
  }

  /** Adds pairs of addresses. Pairs with only one known address are skipped. */
  add(people: readonly (readonly [string, string | undefined])[]): void {
    this.#addPairs(people.flatMap(([one, other]) => toPair(one, other)));
  }

  #addPairs(pairs: Pair[]): void {
    for (const { lid, pn } of pairs) this.#remember(lid, pn);
    if (pairs.length > 0) this.#store(pairs);
  }

  /** Returns `lidPairs` with the cached pairs of `jids` added. */
  addCached(lidPairs: LidPairs, jids: Iterable<string>): LidPairs {
    const completed = new Map(lidPairs);
    for (const full of jids) {
      const jid = toBareJid(full);
      const alternate = this.#pairs.get(jid);
      if (alternate && !completed.has(jid)) completed.set(jid, alternate).set(alternate, jid);
    }
    return completed;
  }

  #remember(lid: string, pn: string): void {
    this.#pairs.delete(lid);
    this.#pairs.set(lid, pn);
    this.#pairs.set(pn, lid);
  }
}

/** Returns the pairs in a stanza about a group: its author and all participants, at any depth. */
function pairsIn(node: Stanza): Pair[] {
  const { participant, participant_pn, participant_lid, jid, phone_number, lid } = node.attrs;
  const own = [...toPair(participant, participant_pn ?? participant_lid), ...toPair(jid, phone_number ?? lid)];
  return [...own, ...allChildrenOf(node).flatMap(pairsIn)];
}

/** Returns one pair in either order of arguments, or none unless one address is a LID and the other a phone number. */
function toPair(one = '', other = ''): Pair[] {
  const [a, b] = [toBareJid(one), toBareJid(other)];
  if (isLid(a) && isUser(b)) return [{ lid: a, pn: b }];
  return isUser(a) && isLid(b) ? [{ lid: b, pn: a }] : [];
}
