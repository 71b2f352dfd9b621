// The messages that one phone sent and received, oldest first, up to a maximum number. Messages are stored decoded; the
// JSON of the control API is created on demand.
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
  /**
   * The kind of addresses in the message's stanza: phone numbers, or LIDs (second addresses). Receipts for the message
   * use the same kind.
   */
  addressing: 'pn' | 'lid';
  unread: boolean;
  /** The author's group rights when the message arrived; absent outside groups. */
  rights?: GroupRights | undefined;
  receipts: PhoneMessage['receipts'];
}

/** The fields of a message that the caller provides; the phone adds the others. */
export type NewMessage = Pick<StoredMessage, 'id' | 'chat' | 'from' | 'addressing' | 'content' | 'raw'>;

export class Mailbox {
  /** Oldest first. */
  readonly #messages = new Set<StoredMessage>();
  /** Mostly one message per id; several when chats have messages with the same id. */
  readonly #byId = new Map<string, StoredMessage[]>();
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
    if (this.#get(message.chat, message.id, message.fromMe)) return false;
    this.#messages.add(message);
    const sameId = this.#byId.get(message.id);
    if (sameId) sameId.push(message);
    else this.#byId.set(message.id, [message]);
    if (!message.fromMe) this.#receivedCount++;
    const { type, ephemeralExpiration } = message.content.protocolMessage ?? {};
    // In direct chats only (no `rights`): the disappearing timer of a group is a group setting, not a message.
    if (type === EPHEMERAL_SETTING && !message.rights) this.#expirations.set(message.chat, ephemeralExpiration ?? 0);
    if (this.#messages.size > this.#capacity) this.#removeOldest();
    return true;
  }

  #removeOldest(): void {
    const [oldest] = this.#messages;
    if (!oldest) return;
    this.#messages.delete(oldest);
    const others = this.#byId.get(oldest.id)?.filter((message) => message !== oldest) ?? [];
    if (others.length > 0) this.#byId.set(oldest.id, others);
    else this.#byId.delete(oldest.id);
  }

  /** Removes all messages, so that retry requests for them are not answered. `receivedCount` and the timers stay. */
  clear(): void {
    this.#messages.clear();
    this.#byId.clear();
  }

  /** Number of seconds after which messages of the chat disappear; 0 or undefined: never. */
  expirationOf(chat: string): number | undefined {
    return this.#expirations.get(chat);
  }

  /** Oldest first. */
  all(): StoredMessage[] {
    return [...this.#messages];
  }

  #get(chat: string, id: string, fromMe: boolean): StoredMessage | undefined {
    return this.#byId.get(id)?.find((message) => message.chat === chat && message.fromMe === fromMe);
  }

  /** Returns a message that this account sent. */
  findSent(chat: string, id: string): StoredMessage | undefined {
    return this.#get(chat, id, true);
  }

  /** Returns a message of a chat, sent or received. */
  find(chat: string, id: string): StoredMessage | undefined {
    return this.findSent(chat, id) ?? this.#get(chat, id, false);
  }

  /** Whether the other person of a direct chat has written in it. */
  hasReceivedFrom(number: string): boolean {
    for (const { chat, fromMe } of this.#messages) if (chat === number && !fromMe) return true;
    return false;
  }

  /** Returns the newest message with this id in any chat. */
  byId(id: string): StoredMessage | undefined {
    return this.#byId.get(id)?.at(-1);
  }

  /** Marks the unread messages of a chat (only `ids`, when given) as read and returns them, oldest first. */
  markRead(chat: string, ids?: readonly string[]): StoredMessage[] {
    const unread: StoredMessage[] = [];
    for (const message of this.#messages) {
      if (!message.unread || message.chat !== chat || (ids && !ids.includes(message.id))) continue;
      message.unread = false;
      unread.push(message);
    }
    return unread;
  }

  /**
   * Adds a receipt to a sent message, if the message is stored. Ignores a second receipt of the same type from the same
   * reader, unless the type is `retry`.
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
    for (const message of this.#messages) {
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
 * Applies a reaction, edit, deletion or pin to its target, unless it is forbidden. All members can react, only the
 * author can edit, and only the author and group admins can delete. In a locked group, only admins can pin. `until` is
 * the end of a pin in epoch seconds. A pin with the duration 0 unpins the target.
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
