// Sends messages to groups whose devices all have the sender key (the account's key of the group), without looking at
// each device. Decision D-187.
// Why: for every message, Baileys decodes and encodes the JID of each device of the group and compares it with the list
//   of devices that have the sender key. In a group of 100 members, that is a third of the CPU time of a message.
//   Baileys also creates a key distribution message for each message, even when no device needs it. And it refuses a
//   message when all devices that lack the sender key also lack Signal keys, for example because they were just
//   unlinked.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `relayMessage` remembers that all devices of a group have the sender key, and skips devices without
//   Signal keys.

import { encryptWithSenderKey } from '../auth/sender-key-encryption.ts';
import { senderKeyIdOf } from '../auth/sender-key-memory.ts';
import { type CachedDevice, type CacheView, toCachedDevices } from '../caches.ts';
import { jidDecode, jidEncode, proto, type WASocket } from '../library.ts';
import { encAttributesOf, pad, stanzaTypeOf, toReportingNode } from '../message-stanza.ts';
import { writeStanza } from '../stanza-query.ts';
import type { GroupMetadata, Socket } from '../types.ts';

type RelayOptions = Parameters<WASocket['relayMessage']>[2];
type DeviceList = Readonly<Record<string, boolean>>;

export interface GroupRelayDeps {
  /** Returns a group: the same object while the group does not change. Rejects when it cannot be fetched. */
  group: (jid: string) => Promise<GroupMetadata>;
  /**
   * Returns the devices that have the sender key of a group, the same object while they do not change. Undefined when
   * the group needs a new sender key.
   */
  senderKeyDevices: (group: string) => Promise<DeviceList | undefined>;
  /** The device-list cache of Baileys. Its key is the user part of a JID. */
  deviceLists: Pick<CacheView, 'mget'>;
}

/** The cached devices of the members of a group, by the user part of their addresses. */
type MemberDevices = Readonly<Record<string, unknown>>;

/** What a list of devices was compared with: the group, and the cached devices of its members. */
interface Comparison {
  group: GroupMetadata;
  devices: MemberDevices;
}

/** Baileys sends no sender key to devices that WhatsApp hosts for business accounts. */
const HOSTED_SERVERS: readonly string[] = ['hosted', 'hosted.lid'];
const HOSTED_DEVICE = 99;

/** Replaces `relayMessage` of a socket for messages to groups. */
export function patchGroupRelay(socket: Socket, deps: GroupRelayDeps): void {
  const { relayMessage, authState } = socket;
  const recipients = new GroupRecipients(deps);
  socket.relayMessage = (jid, message, options) => {
    const { me } = authState.creds;
    if (!me || !canSend(jid, options)) return relayMessage(jid, message, options);
    // The transaction has the name that Baileys also uses, so that one message is sent at a time. The messages are
    // therefore written in the order in which the sender key encrypts them.
    return authState.keys.transaction(async () => {
      const group = await deps.group(jid);
      if (!(await recipients.haveSenderKey(group))) {
        // Read before the attempt: a device that is added during the attempt gets no sender key and must not be in the
        // new list.
        const devices = await recipients.readCachedDevices(group);
        try {
          return await relayMessage(jid, message, options);
        } catch (error) {
          const holders = isEncryptionFailure(error) && (await deps.senderKeyDevices(jid));
          if (!holders || Object.keys(holders).length === 0) throw error;
          // From now on, the devices without Signal keys count as devices with the sender key. A device that gets
          // Signal keys later cannot decrypt the group's messages, and requests them again with retry receipts.
          const list = { ...holders, ...toDeviceList(devices) };
          await authState.keys.set({ 'sender-key-memory': { [jid]: list } });
        }
      }
      return sendToGroup(socket, { group, me }, message, options);
    }, me.id);
  };
}

/** True when Baileys could encrypt the sender key for none of the devices that lack it. Nothing was sent then. */
const isEncryptionFailure = (error: unknown): boolean =>
  error instanceof Error && error.message === 'All encryptions failed';

/**
 * False for messages that Baileys itself must send: messages to other chats, to a single device or to the account's own
 * devices (category `peer`), messages without an id, and messages whose options turn off a cache.
 */
function canSend(jid: string, options: RelayOptions): boolean {
  const { messageId, participant, additionalAttributes, useCachedGroupMetadata, useUserDevicesCache } = options;
  if (!jid.endsWith('@g.us') || messageId === undefined || participant) return false;
  return additionalAttributes?.category !== 'peer' && useCachedGroupMetadata !== false && useUserDevicesCache !== false;
}

/** Resolves with the message id when the message is written. */
async function sendToGroup(
  socket: Socket,
  { group, me }: { group: GroupMetadata; me: { id: string; lid?: string } },
  message: proto.IMessage,
  { messageId = '', additionalAttributes, additionalNodes = [] }: RelayOptions,
): Promise<string> {
  const { id: jid, addressingMode = 'lid', ephemeralDuration = 0 } = group;
  const bytes = proto.Message.encode(message).finish();
  const reporting = await toReportingNode(message, bytes, { id: messageId, remoteJid: jid });
  const ciphertext = await encryptForGroup(socket, {
    group: jid,
    data: pad(bytes),
    meId: addressingMode === 'lid' && me.lid ? me.lid : me.id,
  });
  await writeStanza(socket, {
    tag: 'message',
    attrs: {
      id: messageId,
      to: jid,
      type: stanzaTypeOf(message),
      ...additionalAttributes,
      ...(ephemeralDuration > 0 ? { expiration: String(ephemeralDuration) } : {}),
      addressing_mode: addressingMode,
    },
    content: [
      { tag: 'enc', attrs: { v: '2', type: 'skmsg', ...encAttributesOf(message) }, content: ciphertext },
      ...(reporting ? [reporting] : []),
      ...additionalNodes,
    ],
  });
  // For retry receipts: Baileys sends the message again to a device that could not decrypt it.
  socket.messageRetryManager?.addRecentMessage(jid, messageId, message);
  return messageId;
}

/**
 * Encrypts `data` with the stored sender key of the device `meId`, and stores the key of the next message. Baileys
 * encrypts when there is no such key or it has an unknown form. Call it in a transaction of the key store.
 */
async function encryptForGroup(
  { authState: { keys }, signalRepository }: Socket,
  input: { group: string; meId: string; data: Uint8Array },
): Promise<Uint8Array> {
  const id = senderKeyIdOf(input.group, input.meId);
  const record = id === undefined ? undefined : (await keys.get('sender-key', [id]))[id];
  const encrypted = record && encryptWithSenderKey(record, input.data);
  if (id === undefined || !encrypted) return (await signalRepository.encryptGroupMessage(input)).ciphertext;
  await keys.set({ 'sender-key': { [id]: encrypted.record } });
  return encrypted.ciphertext;
}

/** Finds out whether all devices of a group have the sender key. Remembers a positive result. */
class GroupRecipients {
  readonly #deps: Pick<GroupRelayDeps, 'senderKeyDevices' | 'deviceLists'>;
  /** The results of #usersOf(). */
  readonly #users = new WeakMap<GroupMetadata, string[] | null>();
  /** By list of devices: the last comparison in which the list contained all devices of the group's members. */
  readonly #complete = new WeakMap<DeviceList, Comparison>();

  constructor(deps: Pick<GroupRelayDeps, 'senderKeyDevices' | 'deviceLists'>) {
    this.#deps = deps;
  }

  /** True when the devices of all members are cached and have the sender key. */
  async haveSenderKey(group: GroupMetadata): Promise<boolean> {
    const users = this.#usersOf(group);
    const list = users && (await this.#deps.senderKeyDevices(group.id));
    if (!list) return false;
    // The cache returns the same object for the same users, until one of their entries expires or any entry is written.
    const devices = await this.#deps.deviceLists.mget(users);
    const known = this.#complete.get(list);
    if (known?.group === group && known.devices === devices) return true;
    const areComplete = users.every((user) => {
      const cached = toCachedDevices(devices[user]);
      return cached !== undefined && areIncluded(cached, list);
    });
    if (areComplete) this.#complete.set(list, { group, devices });
    return areComplete;
  }

  /** Returns the cached devices of all members. Later changes of the cache do not change the result. */
  readCachedDevices(group: GroupMetadata): Promise<MemberDevices> {
    return this.#deps.deviceLists.mget(this.#usersOf(group) ?? []);
  }

  /** Returns the user parts of the members' addresses; null when an address is not that of a person. */
  #usersOf(group: GroupMetadata): string[] | null {
    const known = this.#users.get(group);
    if (known !== undefined) return known;
    const users = group.participants.flatMap(({ id }) => {
      const { user, device } = jidDecode(id) ?? {};
      return user && device === undefined ? [user] : [];
    });
    const result = users.length === group.participants.length ? users : null;
    this.#users.set(group, result);
    return result;
  }
}

/** Whether `list` contains all of `devices` that get a sender key. */
const areIncluded = (devices: readonly CachedDevice[], list: DeviceList): boolean =>
  recipientsAmong(devices).every((jid) => list[jid] === true);

/** Returns the devices that get a sender key, in the form of Baileys' list of the devices that have it. */
function toDeviceList(devices: MemberDevices): DeviceList {
  const jids = Object.values(devices).flatMap((list) => recipientsAmong(toCachedDevices(list) ?? []));
  return Object.fromEntries(jids.map((jid) => [jid, true]));
}

/** Returns the JIDs of the devices that get a sender key. */
const recipientsAmong = (devices: readonly CachedDevice[]): string[] =>
  devices
    .filter(({ server, device }) => !HOSTED_SERVERS.includes(server) && device !== HOSTED_DEVICE)
    .map(({ user, server, device }) => jidEncode(user, server, device));
