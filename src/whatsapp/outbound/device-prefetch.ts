// Fetches the devices and encryption keys of a recipient before its message enters the send queue of Baileys. Baileys
// rc14 sends one message per account at a time and runs these queries during the send, so one unanswered query would
// block the messages to all other chats until it times out (head-of-line blocking). Decision D-077.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { isGroup, isLid, toBareJid, userOf } from '../address/jid.ts';
import type { SessionSetup } from '../baileys/auth/session-setup.ts';
import { type CachedDevice, toCachedDevices } from '../baileys/caches.ts';
import { isRefusal } from '../baileys/errors.ts';
import { queryNumbers } from '../baileys/number-query.ts';
import { requireAnswers } from '../baileys/required-answers.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { StanzaQueries } from '../baileys/stanza-query.ts';
import type { CacheStore, Socket } from '../baileys/types.ts';
import type { SessionDevices, SessionGroups } from '../session.ts';

export interface DevicePrefetchDeps {
  socket: Pick<Socket, 'authState' | 'getUSyncDevices' | 'assertSessions' | 'onWhatsApp' | 'signalRepository'>;
  queries: Pick<StanzaQueries, 'send'>;
  sessionSetup: Pick<SessionSetup, 'ensure'>;
  /** The device-list cache of Baileys. Its key is the user part of a JID. */
  deviceLists: Pick<CacheStore, 'get' | 'set' | 'del'>;
  groups: Pick<SessionGroups, 'get'>;
}

/**
 * The JID server of LIDs (ids that hide the number) for each JID server of phone numbers. `hosted` devices run on
 * servers of WhatsApp.
 */
const LID_SERVERS: Readonly<Record<string, CachedDevice['server']>> = { 's.whatsapp.net': 'lid', hosted: 'hosted.lid' };
/** The reverse of LID_SERVERS. */
const NUMBER_SERVERS: Readonly<Record<string, CachedDevice['server']>> = {
  lid: 's.whatsapp.net',
  'hosted.lid': 'hosted',
};

/** Maximum number of chats in #fetchedAtMs. The oldest entries are evicted. */
const MAX_CHATS = 5_000;
/**
 * Minimum time between two fetches for a chat. Without it, a member who never gets a device list, for example a deleted
 * account, would cause a fetch with every message.
 */
const REFETCH_INTERVAL_MS = 10_000;

/** True when WhatsApp does not know a query: 400 Bad Request or 501 Not Implemented. */
const isBadRequest = (error: unknown): boolean => isRefusal(error) && (error.data === 400 || error.data === 501);

export class DevicePrefetch implements SessionDevices {
  readonly #deps: DevicePrefetchDeps;
  /** Time of the last fetch by chat JID, in epoch ms. */
  readonly #fetchedAtMs = new BoundedMap<string, number>(MAX_CHATS);

  constructor(deps: DevicePrefetchDeps) {
    this.#deps = deps;
  }

  /**
   * Asks WhatsApp which of these spellings of one phone number are registered. The spellings are digits, with and
   * without the mobile digit of some countries (mobile-digit.ts). The same query asks for the LID, which is stored, and
   * for the devices, which are cached, so that prefetch() need not query them. When WhatsApp refuses this combined
   * query, a second query asks only for the registration. Rejects as StanzaQueries.send() does.
   */
  async queryNumber(spellings: readonly string[]): Promise<{ jid: string; exists: boolean }[]> {
    const { socket, queries } = this.#deps;
    const answers = await queryNumbers(queries, socket.authState.creds, spellings).catch((error: unknown) => {
      if (!isBadRequest(error)) throw error;
      return undefined;
    });
    if (!answers) return (await requireAnswers(() => socket.onWhatsApp(...spellings))) ?? [];
    for (const { jid, exists, lid, devices } of answers) {
      // When the answer lacks the LID or the device list, prefetch() asks for both later.
      if (!exists || !lid || !devices) continue;
      await socket.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn: jid }]);
      // When Baileys moves Signal sessions from the number to the LID, it reads the devices to move from `device-list`.
      const deviceNumbers = devices.map(({ device }) => String(device ?? 0));
      await socket.authState.keys.set({ 'device-list': { [userOf(jid)]: deviceNumbers } });
      await this.#cacheDevices(jid, devices);
      await this.#cacheDevices(lid, devices);
    }
    return answers;
  }

  /**
   * True when a message to `jid` needs no prefetch(): the last fetch was less than REFETCH_INTERVAL_MS ago, or `jid` is
   * a person whose fetched device list is still cached.
   */
  isPrefetched(jid: string): boolean {
    const fetchedAtMs = this.#fetchedAtMs.get(jid);
    if (fetchedAtMs === undefined) return false;
    if (Date.now() - fetchedAtMs < REFETCH_INTERVAL_MS) return true;
    // Baileys removes a device list when it expires and when the person's devices change.
    return !isGroup(jid) && this.#hasDeviceList(jid);
  }

  /**
   * Fetches all that a message to `jid` needs and the caches lack. `audience` lists the recipients of a status. The
   * account's own devices are not fetched here. Rejects when a query of Baileys fails. isUnanswered() in
   * required-answers.ts recognizes the error of a query without an answer.
   */
  async prefetch(jid: string, audience?: readonly string[]): Promise<void> {
    const { socket, groups, sessionSetup } = this.#deps;
    const members = isGroup(jid) ? (await groups.get(jid)).participants.map(({ id }) => id) : [jid];
    const recipients = audience ?? members;
    // Before the first fetch for a chat, the keys of the devices can be missing although the device list is cached.
    if ((audience || this.#fetchedAtMs.has(jid)) && recipients.every((recipient) => this.#hasDeviceList(recipient)))
      return;
    await requireAnswers(async () => {
      const useCache = true;
      const ignoreZeroDevices = false;
      const devices = await socket.getUSyncDevices([...recipients], useCache, ignoreZeroDevices);
      const jids = devices.map((device) => device.jid);
      // For one recipient, ensure() also loads the Signal sessions into memory, which patches/direct-relay.ts requires.
      await (recipients.length === 1 ? sessionSetup.ensure(jids) : socket.assertSessions(jids));
    });
    // A status has no entry in #fetchedAtMs, because each status can have another audience.
    if (audience) return;
    // The entry moves to the end of the map, because eviction starts at the front.
    this.#fetchedAtMs.delete(jid);
    this.#fetchedAtMs.set(jid, Date.now());
  }

  /**
   * Caches the devices of `fromJid`, with the time of their fetch, under `toJid`, the other address of the same person.
   * Both addresses have the same devices. Changes nothing when `toJid` already has a cached list.
   */
  async copy(fromJid: string, toJid: string): Promise<void> {
    const { deviceLists } = this.#deps;
    const fetchedAtMs = this.#fetchedAtMs.get(fromJid);
    const devices = toCachedDevices(await deviceLists.get(userOf(fromJid)));
    if (!devices || fetchedAtMs === undefined || this.#hasDeviceList(toJid)) return;
    await this.#cacheDevices(toJid, devices);
    this.#fetchedAtMs.delete(toJid);
    this.#fetchedAtMs.set(toJid, fetchedAtMs);
  }

  /**
   * Listens to WhatsApp's notifications about changed devices. A notification names one address of a person (phone
   * number or LID), and Baileys changes only the cached list of this address. So this class removes the list of the
   * person's other address, which `findOther` returns.
   */
  listen({ ws }: Pick<Socket, 'ws'>, findOther: (jid: string) => Promise<string | undefined>): void {
    ws.on('CB:notification,type:devices', ({ attrs }: Stanza) => {
      void findOther(toBareJid(attrs.from ?? '')).then((other) => {
        if (other) this.evict(other);
      });
    });
  }

  /** Removes the cached devices of a person, so that the next message fetches them again. Ignores groups. */
  evict(jid: string): void {
    if (isGroup(jid)) return;
    this.#fetchedAtMs.delete(jid);
    void this.#deps.deviceLists.del(userOf(jid));
  }

  /** Caches the devices of a person under the address `jid`. `devices` can name the person's other address. */
  async #cacheDevices(jid: string, devices: readonly CachedDevice[]): Promise<void> {
    const servers = isLid(jid) ? LID_SERVERS : NUMBER_SERVERS;
    const user = userOf(jid);
    const list = devices.map((device) => ({ ...device, user, server: servers[device.server] ?? device.server }));
    await this.#deps.deviceLists.set(user, list);
  }

  #hasDeviceList(jid: string): boolean {
    return this.#deps.deviceLists.get(userOf(jid)) !== undefined;
  }
}
