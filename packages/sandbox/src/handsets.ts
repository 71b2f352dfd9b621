// All phones of a sandbox: creates them at first use and connects them with the stanza handlers.

import { SyncedState } from './app-state.ts';
import { Calls } from './calls.ts';
import { ChannelMessages } from './channel-messages.ts';
import { Channels } from './channels.ts';
import { announceReceipt, type Exchange, type SandboxLog } from './exchange.ts';
import type { Faults } from './faults.ts';
import { syncFirst } from './first-sync.ts';
import { GroupRelay } from './group-relay.ts';
import { GroupSender } from './group-sender.ts';
import { Groups } from './groups.ts';
import type { MediaHost } from './media-host.ts';
import type { Account, Handsets, World } from './model.ts';
import { Phone } from './phone.ts';
import type { AppState } from './stanzas/appstate.ts';
import { announceChanges } from './stanzas/group.ts';
import { createMessageHandler } from './stanzas/message.ts';
import { createPresenceHandlers } from './stanzas/presence.ts';
import { createReceiptHandlers } from './stanzas/receipt.ts';

export interface HandsetOptions {
  faults: Faults;
  host: MediaHost;
  appState: AppState;
  log?: SandboxLog;
}

/** The phones as the server sees them, and `phone`, by which tests and the control API reach one. */
export interface PhoneBook extends Handsets {
  /** The phone of a number (digits). Throws RangeError when the number is not on the platform. */
  phone(number: string): Phone;
  readonly groups: Groups;
  readonly channels: Channels;
  readonly channelMessages: ChannelMessages;
  readonly calls: Calls;
  /** What the phones and their companions share: archived, pinned, contacts' names, labels, … */
  readonly synced: SyncedState;
  /** The owner of `number` listened to these messages of a chat with a number. Returns those that there are. */
  played(number: string, chat: string, ids: readonly string[]): string[];
}

const SILENT_LOG: SandboxLog = { debug: () => undefined, warn: () => undefined };

export function createHandsets(world: World, { faults, host, appState, log = SILENT_LOG }: HandsetOptions): PhoneBook {
  const phones = new WeakMap<Account, Phone>();
  const phoneOf = (account: Account): Phone => {
    const existing = phones.get(account);
    if (existing) return existing;
    const created = new Phone(account, exchange);
    phones.set(account, created);
    return created;
  };
  const groups = new Groups(world);
  const channels = new Channels(world);
  const exchange: Exchange = {
    world,
    log,
    host,
    groups,
    channels,
    get channelMessages() {
      return channelMessages;
    },
    get groupRelay() {
      return groupRelay;
    },
    get groupSender() {
      return groupSender;
    },
    phone: phoneOf,
    showPresence: (account, source, state) => presence.show(account, source, state),
  };
  const channelMessages = new ChannelMessages(exchange);
  const groupRelay = new GroupRelay(exchange);
  const groupSender = new GroupSender(exchange);
  announceChanges(groups, world);
  const calls = new Calls(world);
  const synced = new SyncedState(world, appState);
  const presence = createPresenceHandlers(exchange);
  return {
    phone: (number) => phoneOf(world.account(number)),
    groups,
    channels,
    channelMessages,
    calls,
    synced,
    played(number, chat, ids) {
      const account = world.account(number);
      const letters = ids
        .flatMap((id) => phoneOf(account).mailbox.find(chat, id) ?? [])
        .filter(({ fromMe }) => !fromMe);
      for (const { id, from, form } of letters) {
        announceReceipt(exchange, { account, device: 0, form }, world.account(from), [id], 'played');
      }
      return letters.map(({ id }) => id);
    },
    bundle: (account) => phoneOf(account).signal.bundle(),
    online: (companion) => syncFirst(world, synced, phoneOf(companion.account), companion),
    offline: (connection) => presence.offline(connection),
    stanzas: {
      message: createMessageHandler(exchange, faults),
      presence: presence.presence,
      chatstate: presence.chatstate,
      call: calls.stanza,
      ...createReceiptHandlers(exchange),
    },
  };
}
