// The services that phones and stanza handlers use: state, phones, groups, channels, media. They are interfaces, so
// that their implementations need not import each other. Also sends the receipts of accounts.
import type { BinaryNode, proto } from '@whiskeysockets/baileys';
import type { MediaHost } from '../media/media-host.ts';
import type { Channels } from '../world/channels.ts';
import { type DeviceAddress, deliverReceipt, jidOf, shownJidOf } from '../world/delivery.ts';
import type { Group } from '../world/group.ts';
import type { Groups } from '../world/groups.ts';
import type { Account, Companion, Typing, World } from '../world/model.ts';
import type { Encrypted, Signal } from '../world/signal.ts';
import type { ChatAddress } from './compose.ts';
import type { Draft } from './content.ts';
import type { Mailbox, NewMessage, StoredMessage } from './mailbox.ts';

/** The log levels of a pino logger that the sandbox uses. */
export interface SandboxLog {
  debug(fields: object, event: string): void;
  warn(fields: object, event: string): void;
}

/** The sender, id and address of an encrypted message that a companion sent to a phone. */
export interface IncomingMessage {
  sender: Companion;
  id: string;
  /** The stanza's `recipient`, or its `to` when it has no recipient. */
  to: string;
  /** True for a request of a companion to its own phone, which belongs to no chat. */
  isPeer: boolean;
  /** Whether a phone displays the content of this stanza (visibility.ts). */
  isDisplayed(content: proto.IMessage): boolean;
}

/** A simulated phone; phone.ts implements it. */
export interface PhonePort {
  readonly account: Account;
  readonly mailbox: Mailbox;
  readonly signal: Signal;
  /** Receives a message that another phone sent. */
  receiveFromPhone(author: Account, message: StoredMessage): void;
  /** Creates the content of a message to `place`. Throws RangeError when the draft refers to an unknown message. */
  compose(draft: Draft, place: ChatAddress): proto.IMessage;
  /** Stores a message of a group, a channel or the status list. Returns false when it is stored already. */
  store(message: NewMessage): boolean;
  /** Marks messages as read that a companion of this account has read. */
  markRead(chat: string, ids: readonly string[]): void;
  /** Records a receipt of `reader` for messages that this account sent to `reader` or to `group`. */
  recordReceipt(reader: Account, ids: readonly string[], type: string, group?: string): void;
  /** Records the typing indicator of an account that writes to this phone. */
  recordTyping(author: Account, state: Typing): void;
  /** Decrypts a companion's copy for this phone, stores it and sends a receipt, or requests it again. */
  receive(arrival: IncomingMessage, encrypted: Encrypted): Promise<void>;
  /** Sends a message again that a companion could not decrypt. */
  resend(to: Companion, receipt: BinaryNode): Promise<void>;
  /** Returns the message with this id that this account sent. */
  findSent(chat: string, id: string): StoredMessage | undefined;
}

/** Messages of companions to groups; group-relay.ts implements it. */
export interface GroupRelayPort {
  /** The error code with which WhatsApp rejects the message; undefined when it accepts it. */
  rejectionCode(sender: Companion, node: BinaryNode): string | undefined;
  /** The correct hash of the device list; undefined when the client's hash is correct or absent. */
  correctHash(node: BinaryNode): string | undefined;
  relay(sender: Companion, node: BinaryNode): Promise<void>;
}

/** Messages of phones to groups; group-sender.ts implements it. */
export interface GroupSenderPort {
  send(phone: PhonePort, group: Group, draft: Draft, id?: string): Promise<string>;
  resend(phone: PhonePort, reader: Companion, receipt: BinaryNode): Promise<void>;
}

/** Messages of companions to channels; channel-messages.ts implements it. */
export interface ChannelMessagesPort {
  /** Returns the attributes of the ack. */
  receive(sender: Companion, node: BinaryNode): { error?: string; server_id?: string };
}

/** Everything that phones and stanza handlers share. */
export interface Services {
  readonly world: World;
  /** Returns the phone of an account; creates it at the first call. */
  phone(account: Account): PhonePort;
  /**
   * Sets the presence of one device (`source`: a connection or the phone). Notifies subscribers when this changes the
   * presence of the account.
   */
  setPresence(account: Account, source: object, state: Account['presence']): void;
  readonly log: SandboxLog;
  readonly groups: Groups;
  readonly groupRelay: GroupRelayPort;
  readonly groupSender: GroupSenderPort;
  readonly channels: Channels;
  readonly channelMessages: ChannelMessagesPort;
  readonly host: MediaHost;
}

/**
 * Sends the account `to` a receipt for messages that it sent (in `group`, if given): to its phone and its companions.
 */
export function sendReceipt(
  { world, phone }: Services,
  reader: DeviceAddress,
  to: Account,
  ids: readonly string[],
  type?: 'read' | 'played',
  group?: string,
): void {
  phone(to).recordReceipt(reader.account, ids, type ?? 'delivered', group);
  const jid = (to === reader.account ? jidOf : shownJidOf)(reader.form, reader.account, reader.device);
  const from = group ?? jid;
  const participant = group && jid;
  for (const companion of to.companions.values()) deliverReceipt(world, companion, { from, participant, ids, type });
}

/**
 * Sends read receipts for messages of `author` that the device `reader` has read: to the other companions of the reader
 * and, when `isShared`, to the author. When not shared, the companions get the type `read-self`.
 */
export function sendReadReceipts(
  services: Services,
  reader: DeviceAddress,
  author: Account,
  ids: readonly string[],
  { isShared, group }: { isShared: boolean; group: string | undefined },
): void {
  const { account, device, form } = reader;
  if (isShared) sendReceipt(services, reader, author, ids, 'read', group);
  const readerJid = jidOf(form, account, device);
  const address = group
    ? { from: group, participant: readerJid }
    : { from: readerJid, recipient: shownJidOf(form, author) };
  for (const other of account.companions.values()) {
    if (other.device === device) continue;
    deliverReceipt(services.world, other, { ...address, ids, type: isShared ? 'read' : 'read-self' });
  }
}
