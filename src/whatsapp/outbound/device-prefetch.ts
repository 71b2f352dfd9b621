// Asks for the devices and keys of a recipient before a message takes the account's turn. rc14 sends one message of an account at a time
// and asks in that turn: a question about one chat that stays unanswered would hold up every other chat until it times out.

import { isGroup, userOf } from '../address/jid.ts';
import { requireAnswers } from '../baileys/patches/query-timeout.ts';
import type { CacheStore, Socket } from '../baileys/types.ts';
import type { SessionDevices, SessionGroups } from '../session.ts';

export interface DevicePrefetchDeps {
  socket: Pick<Socket, 'getUSyncDevices' | 'assertSessions'>;
  /** Device lists by the user part of an address, where Baileys keeps them. */
  lists: Pick<CacheStore, 'get' | 'del'>;
  groups: Pick<SessionGroups, 'get'>;
}

/** Chats remembered as looked at, at most. */
const MAX_CHATS = 5_000;
/** ms for which nobody is asked again about a chat in which somebody has no list of devices, such as a deleted account. */
const QUERY_INTERVAL = 10_000;

export class DevicePrefetch implements SessionDevices {
  readonly #deps: DevicePrefetchDeps;
  /** When each chat was looked at, ms. */
  readonly #chats = new Map<string, number>();

  constructor(parts: DevicePrefetchDeps) {
    this.#deps = parts;
  }

  /** Whether ready() would ask nothing, as far as that can be told at once. */
  isReady(jid: string): boolean {
    const at = this.#chats.get(jid);
    if (at === undefined) return false;
    // Lists expire, and notifications remove them.
    return Date.now() - at < QUERY_INTERVAL || (!isGroup(jid) && this.#isListed(jid));
  }

  /**
   * Resolves when nothing has to be asked for a message to `jid`. Own devices are no recipient's business: every send needs them alike.
   * Rejects as Baileys' queries do, and with isUnanswered() when one of them stays unanswered. `audience`: those who may see a status.
   */
  async ready(jid: string, audience?: readonly string[]): Promise<void> {
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
    const [oldest] = this.#chats.size > MAX_CHATS ? this.#chats.keys() : [];
    if (oldest !== undefined) this.#chats.delete(oldest);
  }

  /** What is known of this person is out of date: the next message asks again. */
  forget(jid: string): void {
    if (isGroup(jid)) return;
    this.#chats.delete(jid);
    void this.#deps.lists.del(userOf(jid));
  }

  #isListed(jid: string): boolean {
    return this.#deps.lists.get(userOf(jid)) !== undefined;
  }
}
