// Maps phone-number JIDs to LIDs (ids that hide the number of a person) and back. lookupLidPairs() reads the stored
// mappings of an instance, and LidCache keeps recent mappings in memory. Unlike getLIDForPN of Baileys, they never
// query WhatsApp, so they are fast enough for every event.
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type LidMappingReader, peekLidMappings, readLidMappings, reverseIdOf } from '../baileys/auth/lid-mappings.ts';
import { allChildrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { withOpenKeys } from '../query.ts';
import type { Session } from '../session.ts';
import { isLid, isPhoneNumberJid, toBareJid, userOf } from './jid.ts';

/** Maps each phone-number JID to its LID and each LID to its phone-number JID, all without device. */
export type LidPairs = ReadonlyMap<string, string>;

/**
 * Returns the stored pairs of `jids`, in both directions. Skips JIDs that are neither phone numbers nor LIDs. A
 * requested LID can have lost its phone number to a new owner. The result then has no pair of the requested LID, but
 * the pair of the number and the new owner's LID.
 */
export async function lookupLidPairs(reader: LidMappingReader, jids: Iterable<string>): Promise<LidPairs> {
  /** The requested JIDs by the id of their stored entry, which contains the other address of the person. */
  const jidsByEntryId = new Map<string, string>();
  for (const fullJid of jids) {
    const jid = toBareJid(fullJid);
    if (isPhoneNumberJid(jid)) jidsByEntryId.set(userOf(jid), jid);
    else if (isLid(jid)) jidsByEntryId.set(reverseIdOf(userOf(jid)), jid);
  }
  const lidPairs = new Map<string, string>();
  if (jidsByEntryId.size === 0) return lidPairs;
  // Nearly all entries that events and sends need are in memory.
  const entries =
    peekLidMappings(reader, jidsByEntryId.keys()) ?? (await readLidMappings(reader, jidsByEntryId.keys()));
  for (const [id, alternateUser] of entries) {
    // For each requested LID, readLidMappings() also returns the entry of its number, which was not requested.
    const jid = jidsByEntryId.get(id) ?? `${id}@s.whatsapp.net`;
    const alternate = isLid(jid) ? `${alternateUser}@s.whatsapp.net` : `${alternateUser}@lid`;
    lidPairs.set(jid, alternate);
    if (!lidPairs.has(alternate)) lidPairs.set(alternate, jid);
  }
  return lidPairs;
}

/** Like lookupLidPairs() for a session. Throws INSTANCE_NOT_OPEN when the session has ended and closed its keys. */
export function lookupSessionLidPairs(
  session: Pick<Session, 'ended' | 'socket'>,
  jids: Iterable<string>,
): Promise<LidPairs> {
  return withOpenKeys(session, lookupLidPairs(session.socket.authState.keys, jids));
}

interface Pair {
  lid: string;
  /** Phone-number JID. */
  pn: string;
}

/** Maximum number of pairs in the cache. The oldest pairs are evicted. */
const MAX_PAIRS = 10_000;

/**
 * Caches and stores the pairs in group notifications and group records. Baileys reports only some of these pairs and
 * stores none of them. The cache is needed because a notification is converted to an event before its pairs are stored.
 */
export class LidCache {
  readonly #pairs = new BoundedMap<string, string>(2 * MAX_PAIRS);
  #store: (pairs: Pair[]) => void = () => undefined;

  /** Starts to collect pairs from the socket and to store pairs through it. Errors of storing go to `onFailure`. */
  listen({ ws, signalRepository }: Pick<Socket, 'ws' | 'signalRepository'>, onFailure: (err: unknown) => void): void {
    this.#store = (pairs) => void signalRepository.lidMapping.storeLIDPNMappings(pairs).catch(onFailure);
    // Baileys emits this event for the stanza of every group notification.
    ws.on('CB:notification,type:w:gp2', (node: Stanza) => this.#addPairs(pairsIn(node)));
  }

  /** Adds address pairs of people, in either order. Skips a pair unless it has one LID and one phone-number JID. */
  add(addressPairs: readonly (readonly [string, string | undefined])[]): void {
    this.#addPairs(addressPairs.flatMap(([one, other]) => toPair(one, other)));
  }

  #addPairs(pairs: Pair[]): void {
    for (const { lid, pn } of pairs) this.#cache(lid, pn);
    if (pairs.length > 0) this.#store(pairs);
  }

  /** Returns `lidPairs`, or a copy that also has the cached pairs of `jids` when these add something. */
  withCachedPairs(lidPairs: LidPairs, jids: Iterable<string>): LidPairs {
    let completed: Map<string, string> | undefined;
    for (const fullJid of jids) {
      const jid = toBareJid(fullJid);
      const alternate = this.#pairs.get(jid);
      const known = completed ?? lidPairs;
      if (!alternate || known.has(jid)) continue;
      // When storage pairs `alternate` with another address than `jid`, the phone number of the cached pair has a new
      // owner, or the person has a new number. The cached pair is then outdated.
      const stored = known.get(alternate);
      if (stored !== undefined && stored !== jid) continue;
      completed ??= new Map(lidPairs);
      completed.set(jid, alternate).set(alternate, jid);
    }
    return completed ?? lidPairs;
  }

  #cache(lid: string, pn: string): void {
    // A number can get a new owner, and a person another number. An earlier pair is removed in both directions.
    for (const jid of [lid, pn, this.#pairs.get(lid), this.#pairs.get(pn)]) if (jid) this.#pairs.delete(jid);
    // Both directions become the newest entries, so that they are evicted together.
    this.#pairs.set(lid, pn);
    this.#pairs.set(pn, lid);
  }
}

/** Returns the pairs in a group notification: the pair of its author and of every participant, at any depth. */
function pairsIn(node: Stanza): Pair[] {
  const { participant, participant_pn, participant_lid, jid, phone_number, lid } = node.attrs;
  const pairs = [...toPair(participant, participant_pn ?? participant_lid), ...toPair(jid, phone_number ?? lid)];
  return [...pairs, ...allChildrenOf(node).flatMap(pairsIn)];
}

/** Returns the pair of two addresses, in either order. Returns [] unless they are a LID and a phone-number JID. */
function toPair(one = '', other = ''): Pair[] {
  const [a, b] = [toBareJid(one), toBareJid(other)];
  if (isLid(a) && isPhoneNumberJid(b)) return [{ lid: a, pn: b }];
  return isPhoneNumberJid(a) && isLid(b) ? [{ lid: b, pn: a }] : [];
}
