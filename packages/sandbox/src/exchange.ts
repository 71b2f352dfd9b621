// What the parts of the platform share: the state of the world, the phones, and the routes between phones and
// companions. Interfaces, so that a part does not import the parts that it calls.
import type { BinaryNode, proto } from '@whiskeysockets/baileys';
import type { Channels } from './channels.ts';
import type { ChatAddress } from './compose.ts';
import type { Draft } from './content.ts';
import { deliverReceipt, jidOf, type Sender } from './delivery.ts';
import type { Group } from './group.ts';
import type { Groups } from './groups.ts';
import type { Mailbox, NewMessage, StoredMessage } from './mailbox.ts';
import type { MediaHost } from './media-host.ts';
import type { Account, Companion, Typing, World } from './model.ts';
import type { Encrypted, Signal } from './signal.ts';

/** The part of a pino logger that the phones use. */
export interface SandboxLog {
  debug(fields: object, event: string): void;
  warn(fields: object, event: string): void;
}

/** Where an encrypted message came from: the companion, and the stanza's id and address. */
export interface IncomingMessage {
  sender: Companion;
  id: string;
  /** JID that the client sent to: the chat, or this account for a copy. */
  to: string;
  /** Addressed to the phone as such, by its own companion, not to a chat. */
  isPeer: boolean;
  /** Whether the phone displays the content, given what the stanza announced. */
  isShown(content: proto.IMessage): boolean;
}

/** A phone as the other parts use it; phone.ts implements it. */
export interface PhonePort {
  readonly account: Account;
  readonly mailbox: Mailbox;
  readonly signal: Signal;
  /** Takes a message of another phone. */
  accept(author: Account, letter: StoredMessage): void;
  /** The content of a message to `place`. Throws RangeError when the draft refers to an unknown message. */
  compose(draft: Draft, place: ChatAddress): proto.IMessage;
  /** Stores a message of a group or a channel. Returns false when it is stored already. */
  store(letter: NewMessage): boolean;
  /** A companion of this account read messages. */
  markRead(chat: string, ids: readonly string[]): void;
  /** Records a receipt for messages that this account sent to `reader`, or to a group. */
  recordReceipt(reader: Account, ids: readonly string[], type: string, group?: string): void;
  recordTyping(author: Account, state: Typing): void;
  /** Decrypts a companion's copy for this phone, stores it and sends a receipt, or requests it again. */
  receive(arrival: IncomingMessage, encrypted: Encrypted): Promise<void>;
  /** Sends a message again that a companion could not decrypt. */
  resend(to: Companion, receipt: BinaryNode): Promise<void>;
  /** The message that this phone sent with this id. */
  findSent(chat: string, id: string): StoredMessage | undefined;
}

/** Messages of companions to groups; group-relay.ts implements it. */
export interface GroupRelayPort {
  /** The error code with which the platform rejects the message; undefined: accepted. */
  rejectionCode(sender: Companion, node: BinaryNode): string | undefined;
  /** The correct device list hash, when that of the client is wrong. */
  correctHash(node: BinaryNode): string | undefined;
  relay(sender: Companion, node: BinaryNode): Promise<void>;
}

/** Messages of phones to groups; group-sender.ts implements it. */
export interface GroupSenderPort {
  send(phone: PhonePort, group: Group, draft: Draft, id?: string): Promise<string>;
  resend(phone: PhonePort, reader: Companion, receipt: BinaryNode): Promise<void>;
}

/** Messages to channels; channel-messages.ts implements it. */
export interface ChannelMessagesPort {
  /** Returns the attributes of the ack. */
  receive(sender: Companion, node: BinaryNode): { error?: string; server_id?: string };
}

/** What phones and stanza handlers share. */
export interface Exchange {
  readonly world: World;
  /** The phone of an account; created at the first call. */
  phone(account: Account): PhonePort;
  /**
   * A client or the phone of the account changes its presence; subscribers are notified when the account's presence
   * changes.
   */
  showPresence(account: Account, source: object, state: Account['presence']): void;
  readonly log: SandboxLog;
  readonly groups: Groups;
  readonly groupRelay: GroupRelayPort;
  readonly groupSender: GroupSenderPort;
  readonly channels: Channels;
  readonly channelMessages: ChannelMessagesPort;
  readonly host: MediaHost;
}

/** Sends a receipt for messages of the account `to` (in `group`, if given) to its phone and all its companions. */
export function announceReceipt(
  { world, phone }: Exchange,
  reader: Sender,
  to: Account,
  ids: readonly string[],
  type?: 'read' | 'played',
  group?: string,
): void {
  phone(to).recordReceipt(reader.account, ids, type ?? 'delivered', group);
  const jid = jidOf(reader.form, reader.account, reader.device);
  const from = group ?? jid;
  const participant = group && jid;
  for (const companion of to.companions.values()) deliverReceipt(world, companion, { from, participant, ids, type });
}

/**
 * Reports that an account read messages of `author` on the device in `reader`: to its other companions, and to the
 * author when `shared`. Without `shared` the receipt has the type `read-self`.
 */
export function reportReading(
  exchange: Exchange,
  reader: Sender,
  author: Account,
  ids: readonly string[],
  { shared, group }: { shared: boolean; group: string | undefined },
): void {
  const { account, device, form } = reader;
  if (shared) announceReceipt(exchange, reader, author, ids, 'read', group);
  const own = jidOf(form, account, device);
  const where = group ? { from: group, participant: own } : { from: own, recipient: jidOf(form, author) };
  for (const other of account.companions.values()) {
    if (other.device === device) continue;
    deliverReceipt(exchange.world, other, { ...where, ids, type: shared ? 'read' : 'read-self' });
  }
}
