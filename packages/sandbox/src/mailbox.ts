// The messages that one phone sent and received, in order and bounded. Stores decoded messages; JSON is created on
// demand.
import { proto } from '@whiskeysockets/baileys';
import { describe } from './content.ts';
import type { PhoneMedia, PhoneMessage } from './model.ts';
import type { Raw } from './plaintext.ts';

/** Messages kept per phone; the oldest go first. */
const MAX_MESSAGES = 50_000;

export interface StoredMessage {
  id: string;
  /** Number of the author. */
  from: string;
  /** Number, or group id. */
  chat: string;
  fromMe: boolean;
  /** Seconds. */
  timestamp: number;
  content: proto.IMessage;
  /** The bytes of the content, when its author gave them. */
  raw?: Raw | undefined;
  /** The file it brought, as it was found on arrival. */
  media?: PhoneMedia;
  /** How the other side addressed it: receipts answer in the same form. */
  form: 'pn' | 'lid';
  unread: boolean;
  /** What its author may do to messages of others in the chat, as it was on arrival; absent in direct chats. */
  rights?: GroupRights | undefined;
  receipts: PhoneMessage['receipts'];
}

export interface GroupRights {
  /** Takes messages of others back. */
  deletes: boolean;
  pins: boolean;
}

/** What the caller knows of a message that a phone files. */
export type NewMessage = Pick<StoredMessage, 'id' | 'chat' | 'from' | 'form' | 'content' | 'raw'>;

export class Mailbox {
  readonly #letters = new Map<string, StoredMessage>();
  readonly #timers = new Map<string, number>();
  readonly #kept: number;
  #received = 0;

  /** `kept`: how many messages to hold; older ones go. */
  constructor(kept = MAX_MESSAGES) {
    this.#kept = kept;
  }

  /** How many messages of others arrived, including those no longer kept. */
  get received(): number {
    return this.#received;
  }

  /** Appends the letter. False when that author's message is already there: a repetition, which a phone shows once. */
  add(letter: StoredMessage): boolean {
    const key = keyOf(letter.chat, letter.id, letter.fromMe);
    if (this.#letters.has(key)) return false;
    this.#letters.set(key, letter);
    if (!letter.fromMe) this.#received++;
    const { type, ephemeralExpiration } = letter.content.protocolMessage ?? {};
    // A group has its timer from the platform.
    if (type === EPHEMERAL_SETTING && !letter.rights) this.#timers.set(letter.chat, ephemeralExpiration ?? 0);
    if (this.#letters.size > this.#kept) {
      for (const oldest of this.#letters.keys()) {
        this.#letters.delete(oldest);
        break;
      }
    }
    return true;
  }

  /** Removes every message: a retry request for one of them is not answered. Counts and timers stay. */
  clear(): void {
    this.#letters.clear();
  }

  /** Seconds after which messages of the chat disappear; 0 or undefined: they stay. */
  timer(chat: string): number | undefined {
    return this.#timers.get(chat);
  }

  /** Oldest first. */
  all(): StoredMessage[] {
    return [...this.#letters.values()];
  }

  /** A message that this account sent. */
  findSent(chat: string, id: string): StoredMessage | undefined {
    return this.#letters.get(keyOf(chat, id, true));
  }

  /** Any message of a chat. */
  find(chat: string, id: string): StoredMessage | undefined {
    return this.findSent(chat, id) ?? this.#letters.get(keyOf(chat, id, false));
  }

  /** The newest message with this id in whatever chat. */
  byId(id: string): StoredMessage | undefined {
    return Array.from(this.#letters.values()).findLast((letter) => letter.id === id);
  }

  /** Unread messages of a chat (of these ids, when given), oldest first, now marked as read. */
  takeUnread(chat: string, ids?: readonly string[]): StoredMessage[] {
    const taken: StoredMessage[] = [];
    for (const letter of this.#letters.values()) {
      if (!letter.unread || letter.chat !== chat || (ids && !ids.includes(letter.id))) continue;
      letter.unread = false;
      taken.push(letter);
    }
    return taken;
  }

  /** Notes what happened to a sent message; a type other than retry counts once per reader. */
  addReceipt(chat: string, id: string, receipt: StoredMessage['receipts'][number]): void {
    const receipts = this.findSent(chat, id)?.receipts;
    if (!receipts) return;
    const existing = receipts.some(({ from, type }) => from === receipt.from && type === receipt.type);
    if (!existing || receipt.type === 'retry') receipts.push(receipt);
  }

  /** Everything as a person sees it, oldest first: each message with what later ones did to it. */
  view(): PhoneMessage[] {
    const shown = new Map<string, PhoneMessage>();
    for (const { id, from, chat, content, media, fromMe, timestamp, receipts, rights } of this.#letters.values()) {
      const seen = { id, from, chat, ...describe(content), media, fromMe, timestamp, receipts: [...receipts] };
      const target = seen.target && shown.get(`${chat}|${seen.target}`);
      const duration = content.messageContextInfo?.messageAddOnDurationInSecs ?? 0;
      if (target) change(target, seen, { until: timestamp + duration, rights });
      shown.set(`${chat}|${id}`, seen);
    }
    return [...shown.values()];
  }
}

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

/**
 * Every account may react; only the author edits a message, only the author or a group's admin takes it back, and
 * members pin unless the group keeps that to its admins.
 */
function change(
  target: PhoneMessage,
  { kind, from, text, timestamp }: PhoneMessage,
  { until, rights }: { until: number; rights: GroupRights | undefined },
): void {
  if (kind === 'pin' && rights?.pins !== false) target.pinnedUntil = until > timestamp ? until : undefined;
  if (kind === 'reaction') {
    const { [from]: _former, ...others } = target.reactions ?? {};
    target.reactions = text ? { ...others, [from]: text } : others;
  }
  if (kind === 'edit' && from === target.from) target.edited = text;
  if (kind === 'delete' && (from === target.from || rights?.deletes)) target.deleted = true;
}

const keyOf = (chat: string, id: string, fromMe: boolean) => `${fromMe ? 'me' : 'them'}|${chat}|${id}`;
