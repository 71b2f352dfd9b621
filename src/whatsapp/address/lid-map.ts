// Which LID belongs to which phone number, from the mappings this instance has already learnt. Never asks the network
// (Baileys' own getLIDForPN would), so it may be used on the way of every event.
import { allChildrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { isLid, isUser, toBareJid, userOf } from './jid.ts';

/** From each JID (without device) to its alternate: phone-number JID → LID and LID → phone-number JID. */
export type LidPairs = ReadonlyMap<string, string>;

/** Reads stored mappings: Baileys' key store, or the store behind it while there is no socket. */
export interface LidKeys {
  get(type: 'lid-mapping', ids: string[]): Promise<Record<string, string>> | Record<string, string>;
}

/** The known lidPairs of `jids`, in both directions; JIDs that are neither phone numbers nor LIDs are passed over. */
export async function lookupLids(keys: LidKeys, jids: Iterable<string>): Promise<LidPairs> {
  const asked = new Map<string, string>();
  for (const full of jids) {
    const jid = toBareJid(full);
    // Baileys stores both directions under the type `lid-mapping`: user → LID user, and `<LID user>_reverse` → user.
    if (isUser(jid)) asked.set(userOf(jid), jid);
    else if (isLid(jid)) asked.set(`${userOf(jid)}_reverse`, jid);
  }
  const lidPairs = new Map<string, string>();
  if (asked.size === 0) return lidPairs;
  const found = await keys.get('lid-mapping', [...asked.keys()]);
  for (const [id, name] of Object.entries(found)) {
    const jid = asked.get(id);
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

/** Pairs remembered; those heard longest ago go first. */
const MAX_PAIRS = 10_000;

/**
 * Pairs that notifications about groups and records of groups name, of which Baileys passes on only some and stores none. They are stored
 * like those of messages, and remembered here because the event of the same notification needs them sooner.
 */
export class LidCache {
  readonly #pairs = new Map<string, string>();
  #store: (pairs: Pair[]) => void = () => undefined;

  listen({ ws, signalRepository }: Pick<Socket, 'ws' | 'signalRepository'>, onFailure: (err: unknown) => void): void {
    this.#store = (pairs) => void signalRepository.lidMapping.storeLIDPNMappings(pairs).catch(onFailure);
    ws.on('CB:notification,type:w:gp2', (node: Stanza) => this.#addPairs(pairsIn(node)));
  }

  /** Takes over two forms of one address each, where both are known. */
  add(people: readonly (readonly [string, string | undefined])[]): void {
    this.#addPairs(people.flatMap(([one, other]) => toPair(one, other)));
  }

  #addPairs(pairs: Pair[]): void {
    for (const { lid, pn } of pairs) this.#remember(lid, pn);
    if (pairs.length > 0) this.#store(pairs);
  }

  /** `lidPairs` and what is remembered of those of `jids` that it lacks. */
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
    this.#pairs.set(lid, pn).set(pn, lid);
    while (this.#pairs.size > 2 * MAX_PAIRS) {
      const [oldest = ''] = this.#pairs.keys();
      this.#pairs.delete(oldest);
    }
  }
}

/** The pairs in a stanza about a group: who caused it, and everybody it is about, however deep. */
function pairsIn(node: Stanza): Pair[] {
  const { participant, participant_pn, participant_lid, jid, phone_number, lid } = node.attrs;
  const own = [...toPair(participant, participant_pn ?? participant_lid), ...toPair(jid, phone_number ?? lid)];
  return [...own, ...allChildrenOf(node).flatMap(pairsIn)];
}

/** One pair, whichever comes first; none unless there is one of each form. */
function toPair(one = '', other = ''): Pair[] {
  const [a, b] = [toBareJid(one), toBareJid(other)];
  if (isLid(a) && isUser(b)) return [{ lid: a, pn: b }];
  return isUser(a) && isLid(b) ? [{ lid: b, pn: a }] : [];
}
