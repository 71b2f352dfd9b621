// Sends messages to one person without a transaction of the key store, and encodes each content once.
// Why: Baileys sends the messages of an account one at a time, each in a transaction. It copies all keys of the message
//   into the transaction, waits for several promises per key, and needs more than twice the CPU time of this file.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `relayMessage` sends to several chats at once.

import { KeyedQueue } from '../../../lib/keyed-queue.ts';
import type { AuthState } from '../auth/auth-state.ts';
import type { DeviceSessions } from '../auth/device-sessions.ts';
import { PrivacyTokens } from '../auth/privacy-tokens.ts';
import type { SessionSetup } from '../auth/session-setup.ts';
import { toCachedDevices } from '../caches.ts';
import {
  encodeSignedDeviceIdentity,
  jidDecode,
  jidEncode,
  normalizeMessageContent,
  proto,
  type WASocket,
} from '../library.ts';
import { encAttributesOf, pad, stanzaTypeOf, toReportingNode } from '../message-stanza.ts';
import type { Stanza } from '../stanza.ts';
import { type StanzaQueries, writeStanza } from '../stanza-query.ts';
import type { CacheStore, Socket } from '../types.ts';

type RelayOptions = Parameters<WASocket['relayMessage']>[2];

export interface DirectRelayDeps {
  auth: Pick<AuthState, 'peek'>;
  sessions: DeviceSessions;
  sessionSetup: Pick<SessionSetup, 'ensure'>;
  queries: Pick<StanzaQueries, 'send'>;
  /** The device-list cache of Baileys. Its key is the user part of a JID. */
  deviceLists: Pick<CacheStore, 'get'>;
}

/** The servers in the JIDs of people. This file sends only messages to such JIDs. */
const SERVERS: readonly string[] = ['s.whatsapp.net', 'lid'];

/**
 * Maximum number of times that the sessions of one message are prepared. Without a maximum, a person with so many
 * devices that their sessions do not fit into memory would block the process.
 */
const MAX_ROUNDS = 10;

/** Replaces `relayMessage` of a socket for messages to one person. */
export function patchDirectRelay(socket: Socket, deps: DirectRelayDeps): void {
  const { relayMessage } = socket;
  const relay = new DirectRelay(socket, deps);
  socket.relayMessage = (jid, message, options) =>
    relay.canSend(jid, options) ? relay.send(jid, message, options) : relayMessage(jid, message, options);
}

/** The account's own addresses. */
interface Me {
  /** Phone-number JID with the device part. */
  id: string;
  /** JID with the LID (an id that hides the phone number) and the device part. */
  lid: string | undefined;
  /** User part of `id`. */
  user: string | undefined;
  /** User part of `lid`. */
  lidUser: string | undefined;
}

/** The devices that get a message. */
interface Recipients {
  /** The other devices of the account. */
  own: readonly string[];
  /** The devices of the person. */
  others: readonly string[];
}

class DirectRelay {
  readonly #socket: Socket;
  readonly #deps: DirectRelayDeps;
  /** Finds and issues privacy tokens. WhatsApp can refuse a message that contains no token from its recipient. */
  readonly #tokens: PrivacyTokens;
  /**
   * Runs the queries about one address one after another, so that a query is left out when an earlier one has already
   * brought its answer. The key is the address (JID).
   */
  readonly #queryQueue = new KeyedQueue();
  #lastMe: Me | undefined;

  constructor(socket: Socket, deps: DirectRelayDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#tokens = new PrivacyTokens(socket, deps.auth, deps.queries);
  }

  /**
   * False for messages that Baileys itself must send: to groups, to own devices only, to a single device, and messages
   * without an id.
   */
  canSend(jid: string, { messageId, participant, additionalAttributes }: RelayOptions): boolean {
    const { user, server = '', device } = jidDecode(jid) ?? {};
    const me = this.#me();
    if (!me || !user || device !== undefined || !SERVERS.includes(server)) return false;
    if (messageId === undefined || participant || additionalAttributes?.category === 'peer') return false;
    return user !== me.user && user !== me.lidUser;
  }

  /** Resolves with the message id when the message is written. Rejects as relayMessage() of Baileys does. */
  async send(jid: string, message: proto.IMessage, options: RelayOptions): Promise<string> {
    const { messageId = '', additionalAttributes, additionalNodes } = options;
    const recipients = this.#split(await this.#devicesOf([this.#senderOf(jid), jid]));
    // Every account has a phone. If the person has no device, the answer to the query for the devices was incomplete.
    if (recipients.others.length === 0) throw new EncryptionError();
    const bytes = proto.Message.encode(message).finish();
    const tokenRecord = await this.#tokens.find(jid);
    const reporting = await toReportingNode(message, bytes, { id: messageId, remoteJid: jid });
    // The devices that stay without a session, because WhatsApp has no usable keys for them or their LID is unknown.
    // They do not get the message.
    const withoutKeys = new Set<string>();
    const devices = [...recipients.own, ...recipients.others];
    // Repeats the preparation: during the queries, messages to other people can evict sessions from memory, and a
    // device can ask for a new session.
    for (let round = 0; round < MAX_ROUNDS && !this.#areReady(devices, withoutKeys); round++)
      await this.#prepareSessions(jid, recipients, withoutKeys);
    // No `await` from here to writeStanza(), so that messages are sent in the order in which they used the keys.
    const { nodes, startsSession } = this.#encrypt(jid, { message, bytes }, { ...recipients, withoutKeys });
    const { account } = this.#socket.authState.creds;
    const written = writeStanza(this.#socket, {
      tag: 'message',
      attrs: { id: messageId, to: jid, type: stanzaTypeOf(message), ...additionalAttributes },
      content: [
        ...(nodes.length > 0 ? [{ tag: 'participants', attrs: {}, content: nodes }] : []),
        ...(startsSession && account
          ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
          : []),
        ...(reporting ? [reporting] : []),
        ...this.#tokens.toNodes(tokenRecord),
        ...(additionalNodes ?? []),
      ],
    });
    await written;
    // As in Baileys, a protocol message, such as a deletion, does not give the person a token.
    if (!normalizeMessageContent(message)?.protocolMessage) this.#tokens.issue(jid, tokenRecord);
    // Baileys adds each sent message to this cache, which exists only if an option turns it on.
    this.#socket.messageRetryManager?.addRecentMessage(jid, messageId, message);
    return messageId;
  }

  #me(): Me | undefined {
    const { me } = this.#socket.authState.creds;
    if (!me) return undefined;
    // The decoded addresses are kept: each message reads them several times, and they change only with a new link.
    if (this.#lastMe?.id !== me.id || this.#lastMe.lid !== me.lid) {
      this.#lastMe = { id: me.id, lid: me.lid, user: jidDecode(me.id)?.user, lidUser: jidDecode(me.lid)?.user };
    }
    return this.#lastMe;
  }

  /** Returns the account's address without device: its LID if `jid` is a LID, else its phone-number JID. */
  #senderOf(jid: string): string {
    const me = this.#me();
    const isLid = jid.endsWith('@lid') && me?.lidUser !== undefined;
    return isLid ? jidEncode(me.lidUser ?? '', 'lid') : jidEncode(me?.user ?? '', 's.whatsapp.net');
  }

  /** Returns the devices at these addresses. Queries the device lists that are not cached. */
  async #devicesOf(addresses: readonly string[]): Promise<string[]> {
    const lists: (readonly string[] | Promise<readonly string[]>)[] = [];
    for (const jid of addresses) lists.push(this.#readCachedDevices(jid) ?? this.#fetchDevices(jid));
    return (await Promise.all(lists)).flat();
  }

  /** Returns the devices at an address; undefined when the list is not cached. */
  #readCachedDevices(jid: string): string[] | undefined {
    const devices = toCachedDevices(this.#deps.deviceLists.get(jidDecode(jid)?.user ?? ''));
    return devices?.map(({ user, server, device }) => jidEncode(user, server, device));
  }

  #fetchDevices(jid: string): Promise<readonly string[]> {
    return this.#queryQueue.run(jid, async () => {
      const cached = this.#readCachedDevices(jid);
      if (cached) return cached;
      const useCache = true;
      const ignoreZeroDevices = false;
      const devices = await this.#socket.getUSyncDevices([jid], useCache, ignoreZeroDevices);
      return devices.map((device) => device.jid);
    });
  }

  /** Separates the devices of the account from those of the person. Leaves out the device of this socket. */
  #split(devices: readonly string[]): Recipients {
    const me = this.#me();
    const recipients = { own: [] as string[], others: [] as string[] };
    for (const jid of devices) {
      if (jid === me?.id || jid === me?.lid) continue;
      const user = jidDecode(jid)?.user;
      const isOwn = user === me?.user || user === me?.lidUser;
      (isOwn ? recipients.own : recipients.others).push(jid);
    }
    return recipients;
  }

  /** True when each of these devices has a session in memory or is in `withoutKeys`. */
  #areReady(devices: readonly string[], withoutKeys: ReadonlySet<string>): boolean {
    return devices.every((device) => withoutKeys.has(device) || this.#deps.sessions.isReady(device));
  }

  /**
   * Loads or creates the sessions with the recipients. Adds each device that stays without a session to `withoutKeys`.
   */
  async #prepareSessions(jid: string, { own, others }: Recipients, withoutKeys: Set<string>): Promise<void> {
    const prepare = async (address: string, devices: readonly string[]): Promise<void> => {
      if (this.#areReady(devices, withoutKeys)) return;
      const candidates = devices.filter((device) => !withoutKeys.has(device));
      const keyless = await this.#queryQueue.run(address, () => this.#deps.sessionSetup.ensure(candidates));
      for (const device of keyless) withoutKeys.add(device);
    };
    await Promise.all([prepare(this.#senderOf(jid), own), prepare(jid, others)]);
  }

  /**
   * Encrypts the message for each device. Skips devices without keys. Throws EncryptionError when there are own devices
   * and none of them has keys, when no device of the person has keys, and when the session of a device is no longer in
   * memory.
   */
  #encrypt(
    jid: string,
    { message, bytes }: { message: proto.IMessage; bytes: Uint8Array },
    recipients: Recipients & { withoutKeys: ReadonlySet<string> },
  ) {
    const { sessions } = this.#deps;
    const attributes = encAttributesOf(message);
    const { messageContextInfo } = message;
    const ownBytes =
      recipients.own.length > 0
        ? proto.Message.encode({ deviceSentMessage: { destinationJid: jid, message }, messageContextInfo }).finish()
        : bytes;
    let startsSession = false;
    const encryptAll = (devices: readonly string[], content: Uint8Array): Stanza[] => {
      const nodes = devices.flatMap((device) => {
        if (recipients.withoutKeys.has(device)) {
          this.#socket.logger.error({ jid: device }, 'Failed to encrypt for recipient');
          return [];
        }
        const encrypted = sessions.encrypt(device, pad(content));
        if (!encrypted) throw new EncryptionError();
        const { type, ciphertext } = encrypted;
        startsSession ||= type === 'pkmsg';
        const enc = { tag: 'enc', attrs: { v: '2', type, ...attributes }, content: ciphertext };
        return [{ tag: 'to', attrs: { jid: device }, content: [enc] }];
      });
      if (devices.length > 0 && nodes.length === 0) throw new EncryptionError();
      return nodes;
    };
    const nodes = [...encryptAll(recipients.own, ownBytes), ...encryptAll(recipients.others, bytes)];
    return { nodes, startsSession };
  }
}

/**
 * Nothing was sent, because the devices of the person are unknown or a needed session is missing. The error of Baileys
 * for this case has the same status code.
 */
class EncryptionError extends Error {
  override readonly name = 'EncryptionError';
  readonly output = { statusCode: 500 };

  constructor() {
    super('All encryptions failed');
  }
}
