// Creates the simulated phones of a sandbox, each at its first use, and connects them with the handlers of stanzas (the
// protocol's messages between client and server).

import type { MediaHost } from './media/media-host.ts';
import { PhoneAppState } from './phone/app-state.ts';
import { createSnapshots } from './phone/app-state-snapshot.ts';
import { Calls } from './phone/calls.ts';
import { ChannelMessages } from './phone/channel-messages.ts';
import { runFirstSync } from './phone/first-sync.ts';
import { GroupSender } from './phone/group-sender.ts';
import type { SandboxLog, Services } from './phone/interfaces.ts';
import { Phone } from './phone/phone.ts';
import { sendReceipt } from './phone/receipts.ts';
import { announceGroupChanges } from './stanzas/group.ts';
import { GroupRelay } from './stanzas/group-relay.ts';
import { createMessageHandler } from './stanzas/message.ts';
import { createPresenceHandlers, type PresenceHandlers } from './stanzas/presence.ts';
import { createReceiptHandlers } from './stanzas/receipt.ts';
import type { Restrictions } from './stanzas/restrictions.ts';
import type { AppStatePatches } from './world/app-state.ts';
import { Channels } from './world/channels.ts';
import { phoneAddress } from './world/delivery.ts';
import type { Faults } from './world/faults.ts';
import { Groups } from './world/groups.ts';
import type { Account, Phones, World } from './world/model.ts';

export interface PhonesOptions {
  faults: Faults;
  mediaHost: MediaHost;
  appStatePatches: AppStatePatches;
  restrictions: Restrictions;
  log?: SandboxLog;
}

/** All phones. The server uses only the members of `Phones`; tests and the control API use all members. */
export interface SimulatedPhones extends Phones {
  /** Returns the phone of a number (digits). Throws RangeError when the number is not on WhatsApp. */
  phone(number: string): Phone;
  readonly groups: Groups;
  readonly channels: Channels;
  readonly channelMessages: ChannelMessages;
  readonly calls: Calls;
  /** What a phone and its companions (linked devices) share: archived and pinned chats, contact names, labels, … */
  readonly phoneAppState: PhoneAppState;
  /**
   * Stores the app state of `number` in snapshots, for clients that ask for a snapshot. A snapshot is a file with one
   * collection. Returns the names of the collections that now have a snapshot.
   */
  createSnapshots(number: string): string[];
  /**
   * Sends the receipts that `number` played these voice messages of a direct chat. Returns the ids of the messages that
   * exist.
   */
  markPlayed(number: string, chat: string, ids: readonly string[]): string[];
}

/** Discards all entries. */
const SILENT_LOG: SandboxLog = { debug: () => undefined, warn: () => undefined };

/** Creates the objects that use each other through `Services`: each gets this object and reads the others from it. */
class SharedServices implements Services {
  readonly world: World;
  readonly mediaHost: MediaHost;
  readonly log: SandboxLog;
  readonly groups: Groups;
  readonly channels: Channels;
  readonly channelMessages: ChannelMessages;
  readonly groupRelay: GroupRelay;
  readonly groupSender: GroupSender;
  readonly presence: PresenceHandlers;
  readonly #phones = new WeakMap<Account, Phone>();

  constructor(world: World, mediaHost: MediaHost, log: SandboxLog) {
    this.world = world;
    this.mediaHost = mediaHost;
    this.log = log;
    this.groups = new Groups(world);
    this.channels = new Channels(world);
    this.channelMessages = new ChannelMessages(this);
    this.groupRelay = new GroupRelay(this);
    this.groupSender = new GroupSender(this);
    this.presence = createPresenceHandlers(this);
  }

  /** An arrow function, because callers use it without this object. */
  readonly phone = (account: Account): Phone => {
    const existing = this.#phones.get(account);
    if (existing) return existing;
    const created = new Phone(account, this);
    this.#phones.set(account, created);
    return created;
  };

  setPresence(account: Account, device: object, state: Account['presence']): void {
    this.presence.setPresence(account, device, state);
  }
}

export function createPhones(
  world: World,
  { faults, mediaHost, appStatePatches, restrictions, log = SILENT_LOG }: PhonesOptions,
): SimulatedPhones {
  const services = new SharedServices(world, mediaHost, log);
  const { groups, channels, channelMessages, presence, phone: phoneOf } = services;
  // From now on, clients get notifications about group changes.
  announceGroupChanges(groups, world);
  const calls = new Calls(world);
  const phoneAppState = new PhoneAppState(world, appStatePatches, mediaHost);
  return {
    phone: (number) => phoneOf(world.account(number)),
    groups,
    channels,
    channelMessages,
    calls,
    phoneAppState,
    createSnapshots: (number) => createSnapshots(appStatePatches, mediaHost, world.account(number)),
    markPlayed(number, chat, ids) {
      const account = world.account(number);
      const messages = ids
        .flatMap((id) => phoneOf(account).mailbox.find(chat, id) ?? [])
        .filter(({ fromMe }) => !fromMe);
      for (const { id, from, addressing } of messages) {
        sendReceipt(services, phoneAddress(account, addressing), world.account(from), [id], { type: 'played' });
      }
      return messages.map(({ id }) => id);
    },
    keyBundle: (account) => phoneOf(account).signal.createBundle(),
    onLogin: (companion) => runFirstSync(services, phoneAppState, phoneOf(companion.account), companion),
    onDisconnect: (connection) => presence.onDisconnect(connection),
    stanzas: {
      message: createMessageHandler(services, faults, restrictions),
      presence: presence.presence,
      chatstate: presence.chatstate,
      call: calls.handleStanza,
      ...createReceiptHandlers(services),
    },
  };
}
