// Interfaces through which phones, groups, channels and stanza handlers call each other, so that their implementations
// need not import each other. `Services` contains all of them. A companion is a linked device, for example the program
// under test.
import type { BinaryNode, proto } from '@whiskeysockets/baileys';
import type { MediaHost } from '../media/media-host.ts';
import type { Channels } from '../world/channels.ts';
import type { Group } from '../world/group.ts';
import type { Groups } from '../world/groups.ts';
import type { Account, Companion, Connection, Typing, World } from '../world/model.ts';
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
  /** The JID that the sender addressed: an account or a group. */
  to: string;
  /** True for a request of a companion to its own phone, such as a request for history. Such a message has no chat. */
  isPeer: boolean;
  /** Whether a phone displays `content`, given the attributes of the stanza that carried it (visibility.ts). */
  isDisplayed(content: proto.IMessage): boolean;
}

/** A simulated phone. Its implementation is in phone.ts. */
export interface PhonePort {
  readonly account: Account;
  readonly mailbox: Mailbox;
  readonly signal: Signal;
  /** Maximum number of messages per chat that a new companion gets; it can request the older ones. */
  readonly syncedPerChat: number;
  /** Receives a message that another phone sent. */
  receiveFromPhone(author: Account, message: StoredMessage): void;
  /** Creates the content of a message to `chat`. Throws RangeError when the draft refers to an unknown message. */
  compose(draft: Draft, chat: ChatAddress): proto.IMessage;
  /** Stores a message. Returns false when it is stored already. */
  store(message: NewMessage): boolean;
  /** Marks messages as read after a companion of this account has read them. Sends no receipts. */
  markRead(chat: string, ids: readonly string[]): void;
  /** Records a receipt of `reader` for messages that this account sent to `reader` or to `group`. */
  recordReceipt(reader: Account, ids: readonly string[], type: string, group?: string): void;
  /** Stores that `author` is typing or recording a voice message to this account, or has stopped. */
  recordTyping(author: Account, state: Typing): void;
  /**
   * Decrypts the copy of a message that a companion encrypted for this phone. Stores the message; if the decryption
   * fails, requests the message again.
   */
  receive(incoming: IncomingMessage, encrypted: Encrypted): Promise<void>;
  /** Sends a message again to a companion that could not decrypt it. `receipt` is the companion's request. */
  resend(to: Companion, receipt: BinaryNode): Promise<void>;
  /** Forgets acknowledged peer messages: messages to companions of this account, such as the history. */
  forgetPeerMessages(ids: readonly string[]): void;
  /** Returns the message with this id that this account sent. */
  findSent(chat: string, id: string): StoredMessage | undefined;
}

/** Handles the messages that companions send to groups. Its implementation is in group-relay.ts. */
export interface GroupRelayPort {
  /** The error code with which WhatsApp rejects the message; undefined when it accepts it. */
  rejectionCode(sender: Companion, node: BinaryNode): string | undefined;
  /** The correct hash of the members' devices when the message contains a wrong hash, else undefined. */
  hashCorrection(node: BinaryNode): string | undefined;
  /** Delivers an accepted message to the members. */
  relay(sender: Companion, node: BinaryNode): Promise<void>;
}

/** Sends the messages of phones to groups. Its implementation is in group-sender.ts. */
export interface GroupSenderPort {
  /** Resolves with the message id. */
  send(phone: PhonePort, group: Group, draft: Draft, id?: string): Promise<string>;
  /** Sends a message again to a companion that could not decrypt it. `receipt` is the companion's request. */
  resend(phone: PhonePort, to: Companion, receipt: BinaryNode): Promise<void>;
}

/** Handles the messages that companions send to channels. Its implementation is in channel-messages.ts. */
export interface ChannelMessagesPort {
  /** Handles the message and returns the attributes of its ack. `error` is set when WhatsApp rejects the message. */
  receive(sender: Companion, node: BinaryNode): { error?: string; server_id?: string };
}

/** Everything that phones and stanza handlers share. */
export interface Services {
  readonly world: World;
  /** Returns the phone of an account; creates it at the first call. */
  phone(account: Account): PhonePort;
  /**
   * Sets the presence of one device of the account: of its phone, or of the companion on a connection. Notifies
   * subscribers when this changes the presence of the account.
   */
  setPresence(account: Account, device: PhonePort | Connection, state: Account['presence']): void;
  readonly log: SandboxLog;
  readonly groups: Groups;
  readonly groupRelay: GroupRelayPort;
  readonly groupSender: GroupSenderPort;
  readonly channels: Channels;
  readonly channelMessages: ChannelMessagesPort;
  readonly mediaHost: MediaHost;
}
