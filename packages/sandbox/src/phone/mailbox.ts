// The messages that one phone sent and received, oldest first, up to a maximum number. Stores decoded messages; their
// JSON is created on demand.
import { proto } from '@whiskeysockets/baileys';
import type { RawContent } from '../crypto/plaintext.ts';
import type { GroupRights } from '../world/group.ts';
import type { PhoneMedia, PhoneMessage } from '../world/model.ts';
import { describeContent } from './content.ts';

/** Default maximum number of messages per phone; the oldest are removed. */
const MAX_MESSAGES = 50_000;

export interface StoredMessage {
  id: string;
  /** Number of the author. */
  from: string;
  /** Number of the other person, or JID of the group, the channel or the status list. */
  chat: string;
  fromMe: boolean;
  /** Epoch seconds. */
  timestamp: number;
  content: proto.IMessage;
  /** The encoded content, when it was sent as raw bytes. */
  raw?: RawContent | undefined;
  /** The file of the message, as it was found on the media host when the message arrived. */
  media?: PhoneMedia;
  /** Whether the stanza addressed the sender by phone number or by LID (second address). Receipts do the same. */
  addressing: 'pn' | 'lid';
  unread: boolean;
  /** The author's group rights when the message arrived; absent outside groups. */
  rights?: GroupRights | undefined;
  receipts: PhoneMessage['receipts'];
}

/** The fields of a message that the caller provides; the phone adds the others. */
export type NewMessage = Pick<StoredMessage, 'id' | 'chat' | 'from' | 'addressing' | 'content' | 'raw'>;

export class Mailbox {
  /** By messageKeyOf(), oldest first. */
  readonly #messages = new Map<string, StoredMessage>();
  /** Disappearing timers in seconds, by chat. */
  readonly #expirations = new Map<string, number>();
  readonly #capacity: number;
  #receivedCount = 0;

  /** `capacity`: maximum number of messages; the oldest are removed. */
  constructor(capacity = MAX_MESSAGES) {
    this.#capacity = capacity;
  }

  /** Number of messages from others since the start, also of those that are no longer stored. */
  get receivedCount(): number {
    return this.#receivedCount;
  }

  /** Appends the message. Returns false when it is stored already, because a phone shows a repeated message once. */
  add(message: StoredMessage): boolean {
    const key = messageKeyOf(message.chat, message.id, message.fromMe);
    if (this.#messages.has(key)) return false;
    this.#messages.set(key, message);
    if (!message.fromMe) this.#receivedCount++;
    const { type, ephemeralExpiration } = message.content.protocolMessage ?? {};
    // The disappearing timer of a group is a group setting, not a message.
    if (type === EPHEMERAL_SETTING && !message.rights) this.#expirations.set(message.chat, ephemeralExpiration ?? 0);
    if (this.#messages.size > this.#capacity) {
      const [oldestKey = ''] = this.#messages.keys();
      this.#messages.delete(oldestKey);
    }
    return true;
  }

  /** Removes all messages, so that retry requests for them are not answered. The count and the timers stay. */
  clear(): void {
    this.#messages.clear();
  }

  /** Number of seconds after which messages of the chat disappear; 0 or undefined: never. */
  expirationOf(chat: string): number | undefined {
    return this.#expirations.get(chat);
  }

  /** Oldest first. */
  all(): StoredMessage[] {
    return [...this.#messages.values()];
  }

  /** Returns a message that this account sent. */
  findSent(chat: string, id: string): StoredMessage | undefined {
    return this.#messages.get(messageKeyOf(chat, id, true));
  }

  /** Returns a message of a chat, sent or received. */
  find(chat: string, id: string): StoredMessage | undefined {
    return this.findSent(chat, id) ?? this.#messages.get(messageKeyOf(chat, id, false));
  }

  /** Returns the newest message with this id in any chat. */
  byId(id: string): StoredMessage | undefined {
    return Array.from(this.#messages.values()).findLast((message) => message.id === id);
  }

  /** Marks the unread messages of a chat (only `ids`, when given) as read and returns them, oldest first. */
  markRead(chat: string, ids?: readonly string[]): StoredMessage[] {
    const unread: StoredMessage[] = [];
    for (const message of this.#messages.values()) {
      if (!message.unread || message.chat !== chat || (ids && !ids.includes(message.id))) continue;
      message.unread = false;
      unread.push(message);
    }
    return unread;
  }

  /**
   * Adds a receipt to a sent message, if it is stored. Except for `retry`, a reader's second receipt of a type is
   * ignored.
   */
  addReceipt(chat: string, id: string, receipt: StoredMessage['receipts'][number]): void {
    const receipts = this.findSent(chat, id)?.receipts;
    if (!receipts) return;
    const isRepeated = receipts.some(({ from, type }) => from === receipt.from && type === receipt.type);
    if (!isRepeated || receipt.type === 'retry') receipts.push(receipt);
  }

  /** All messages as JSON, oldest first, with the effects of later reactions, edits, deletions and pins. */
  view(): PhoneMessage[] {
    const views = new Map<string, PhoneMessage>();
    for (const message of this.#messages.values()) {
      const { id, from, chat, content, media, fromMe, addressing, timestamp, receipts, rights } = message;
      const view = {
        id,
        from,
        chat,
        ...describeContent(content),
        media,
        fromMe,
        addressing,
        timestamp,
        receipts: [...receipts],
      };
      const target = view.target && views.get(`${chat}|${view.target}`);
      const duration = content.messageContextInfo?.messageAddOnDurationInSecs ?? 0;
      if (target) applyChange(target, view, { until: timestamp + duration, rights });
      views.set(`${chat}|${id}`, view);
    }
    return [...views.values()];
  }
}

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

/**
 * Applies a reaction, edit, deletion or pin to its target, if it is allowed: all members can react, only the author can
 * edit, only the author and group admins can delete, and a locked group allows only admins to pin. `until` is in epoch
 * seconds.
 */
function applyChange(
  target: PhoneMessage,
  { kind, from, text, timestamp }: PhoneMessage,
  { until, rights }: { until: number; rights: GroupRights | undefined },
): void {
  if (kind === 'pin' && rights?.canPin !== false) target.pinnedUntil = until > timestamp ? until : undefined;
  if (kind === 'reaction') {
    const { [from]: _previous, ...others } = target.reactions ?? {};
    target.reactions = text ? { ...others, [from]: text } : others;
  }
  if (kind === 'edit' && from === target.from) target.edited = text;
  if (kind === 'delete' && (from === target.from || rights?.canDelete)) target.deleted = true;
}

const messageKeyOf = (chat: string, id: string, fromMe: boolean) => `${fromMe ? 'me' : 'them'}|${chat}|${id}`;
