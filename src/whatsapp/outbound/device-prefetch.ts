// Fetches devices and keys of a recipient before a message takes the account's turn. Baileys rc14 sends one message per
// account at a time and runs these queries in that turn, so an unanswered query for one chat would delay all others
// until it times out.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { isGroup, userOf } from '../address/jid.ts';
import { requireAnswers } from '../baileys/patches/query-timeout.ts';
import type { CacheStore, Socket } from '../baileys/types.ts';
import type { SessionDevices, SessionGroups } from '../session.ts';

export interface DevicePrefetchDeps {
  socket: Pick<Socket, 'getUSyncDevices' | 'assertSessions'>;
  /** The device-list cache of Baileys, by user part of the JID. */
  lists: Pick<CacheStore, 'get' | 'del'>;
  groups: Pick<SessionGroups, 'get'>;
}

/** Chats to remember; the oldest are evicted. */
const MAX_CHATS = 5_000;
/**
 * Milliseconds before a chat is fetched again when one of its members has no device list, for example a deleted
 * account.
 */
const QUERY_INTERVAL = 10_000;

export class DevicePrefetch implements SessionDevices {
  readonly #deps: DevicePrefetchDeps;
  /** Time of the last fetch per chat, epoch ms. */
  readonly #chats = new BoundedMap<string, number>(MAX_CHATS);

  constructor(deps: DevicePrefetchDeps) {
    this.#deps = deps;
  }

  /** True when prefetch() would send no query, as far as the caches show it. */
  isReady(jid: string): boolean {
    const at = this.#chats.get(jid);
    if (at === undefined) return false;
    // Device lists expire, and notifications remove them.
    return Date.now() - at < QUERY_INTERVAL || (!isGroup(jid) && this.#isListed(jid));
  }

  /**
   * Resolves when a message to `jid` needs no further query. Own devices are not included, because every send needs
   * them anyway. `audience` lists the receivers of a status. Rejects as the queries of Baileys, and with an
   * isUnanswered() error for a missing answer.
   */
  async prefetch(jid: string, audience?: readonly string[]): Promise<void> {
    const { socket, groups } = this.#deps;
    const members = isGroup(jid) ? (await groups.get(jid)).participants.map(({ id }) => id) : [jid];
    const people = audience ?? members;
    if ((audience || this.#chats.has(jid)) && people.every((one) => this.#isListed(one))) return;
    await requireAnswers(async () => {
      const devices = await socket.getUSyncDevices([...people], true, false);
      await socket.assertSessions(devices.map((device) => device.jid));
    });
    if (audience) return;
    this.#chats.delete(jid);
    this.#chats.set(jid, Date.now());
  }

  /** Removes the cached devices of a person, so that the next message fetches them. */
  forget(jid: string): void {
    if (isGroup(jid)) return;
    this.#chats.delete(jid);
    void this.#deps.lists.del(userOf(jid));
  }

  #isListed(jid: string): boolean {
    return this.#deps.lists.get(userOf(jid)) !== undefined;
  }
}
