// Creates Signal sessions with devices, from the keys that WhatsApp stores for them.
import { isHostedLidUser, isLidUser, parseAndInjectE2ESessions, S_WHATSAPP_NET } from '../library.ts';
import type { StanzaQueries } from '../stanza-query.ts';
import type { Socket } from '../types.ts';
import type { DeviceSessions } from './device-sessions.ts';

export interface SessionSetupDeps {
  socket: Pick<Socket, 'signalRepository'>;
  queries: Pick<StanzaQueries, 'send'>;
  sessions: Pick<DeviceSessions, 'isReady' | 'load'>;
}

export class SessionSetup {
  readonly #deps: SessionSetupDeps;

  constructor(deps: SessionSetupDeps) {
    this.#deps = deps;
  }

  /**
   * Loads the sessions with these devices into memory. Creates the sessions that do not exist, with one query for keys.
   * Returns the devices that stay without a session, because WhatsApp has no usable keys for them or their LID (id that
   * hides the phone number) is unknown. A loaded session can be evicted from memory before this method resolves.
   * Rejects as StanzaQueries.send() does.
   */
  async ensure(jids: readonly string[]): Promise<readonly string[]> {
    const { sessions, socket } = this.#deps;
    const { lidMapping } = socket.signalRepository;
    const notLoaded = jids.filter((jid) => !sessions.isReady(jid));
    if (notLoaded.length === 0) return [];
    const missing = await sessions.load(notLoaded, (jid) => lidMapping.getLIDForPN(jid));
    if (missing.length === 0) return [];
    const addresses = await this.#keyAddressesOf(missing);
    if (addresses.length === 0) return missing;
    const answer = await this.#deps.queries.send({
      tag: 'iq',
      attrs: { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET },
      content: [{ tag: 'key', attrs: {}, content: addresses.map((jid) => ({ tag: 'user', attrs: { jid } })) }],
    });
    await parseAndInjectE2ESessions(answer, socket.signalRepository);
    // The first load() has already queried the unknown LIDs, so the second load() queries none.
    return sessions.load(missing, async () => undefined);
  }

  /** Returns the LIDs of devices. Keys are queried by LID, as in Baileys. Leaves out devices without a known LID. */
  async #keyAddressesOf(jids: readonly string[]): Promise<string[]> {
    const isLid = (jid: string): boolean => Boolean(isLidUser(jid) || isHostedLidUser(jid));
    const numbers = jids.filter((jid) => !isLid(jid));
    const pairs = numbers.length > 0 ? await this.#deps.socket.signalRepository.lidMapping.getLIDsForPNs(numbers) : [];
    return [...jids.filter(isLid), ...(pairs ?? []).map(({ lid }) => lid)];
  }
}
