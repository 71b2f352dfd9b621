// The ledger of a run: accepted sends, messages of phones, and the posts that the webhook received.
import { EventEmitter } from 'node:events';
import type { Post } from '../support/receiver.ts';

/** A send, as its caller saw it. */
export interface Send {
  instance: string;
  to: string;
  text: string;
  /**
   * Epoch ms of each attempt, and its outcome: an HTTP status with the code of the error, or the reason why there was
   * no response.
   */
  attempts: { at: number; outcome: string }[];
  /** Epoch ms of the successful response (`at`) and of its request, and the id of the message. */
  accepted?: { at: number; requestedAt: number; id: string };
  /** Whether the send is refused permanently under its idempotency key. The message may have arrived. */
  isUncertain: boolean;
}

/** A message that a phone sent. */
export interface Inbound {
  instance: string;
  from: string;
  text: string;
  /** Position among the messages of the instance. */
  n: number;
  sentAt: number;
  receivedAt: number | undefined;
  /** The webhook-ids under which the webhook received the message. */
  ids: Set<string>;
}

/** Epoch ms. The platform runs on the same machine, so its times can be compared. */
export const now = (): number => Date.now();

interface Body {
  event?: string;
  instance?: string;
  data?: {
    state?: string;
    keyId?: string;
    status?: string;
    key?: { fromMe?: boolean };
    message?: { conversation?: string };
  };
}

export class Ledger {
  readonly sends: Send[] = [];
  readonly inbounds = new Map<string, Inbound>();
  /** Number of posts by webhook-id. */
  readonly posts = new Map<string, number>();
  /** Ids of messages that were reported to the webhook as failed. */
  readonly failedIds = new Set<string>();
  /** Messages that the webhook received after a later message of their chat. */
  readonly outOfOrder: string[] = [];
  /** Texts of received messages that no phone sent. */
  readonly unknownTexts: string[] = [];
  /** Number of QR codes by instance. */
  readonly qrCodeCounts = new Map<string, number>();
  readonly #open = new Set<string>();
  /** By instance: when the last accepted send was requested, and when the last received message was sent. Epoch ms. */
  readonly #lastRequestAt = new Map<string, number>();
  readonly #lastSentAt = new Map<string, number>();
  readonly #lastReceivedNumber = new Map<string, number>();
  readonly #changes = new EventEmitter().setMaxListeners(0);

  /** Adds a message that a phone is about to send. The webhook can receive it before the platform confirms the send. */
  addInbound(message: Pick<Inbound, 'instance' | 'from' | 'text' | 'n'>): Inbound {
    const entry = { ...message, sentAt: now(), receivedAt: undefined, ids: new Set<string>() };
    this.inbounds.set(entry.text, entry);
    return entry;
  }

  addSend(message: Pick<Send, 'instance' | 'to' | 'text'>): Send {
    const entry: Send = { ...message, attempts: [], isUncertain: false };
    this.sends.push(entry);
    return entry;
  }

  accept(entry: Send, requestedAt: number, id: string): void {
    entry.accepted = { at: now(), requestedAt, id };
    this.#lastRequestAt.set(entry.instance, requestedAt);
    this.#changes.emit('entry');
  }

  /** Records a post to the webhook. */
  recordPost(post: Post): void {
    const id = post.headers['webhook-id'] ?? '';
    this.posts.set(id, (this.posts.get(id) ?? 0) + 1);
    const { event, instance = '', data = {} } = post.body as Body;
    if (event === 'messages.upsert' && data.key?.fromMe === false) this.#recordMessage(id, data.message?.conversation);
    if (event === 'messages.update' && data.status === 'ERROR' && data.keyId) this.failedIds.add(data.keyId);
    if (event === 'qrcode.updated') this.qrCodeCounts.set(instance, (this.qrCodeCounts.get(instance) ?? 0) + 1);
    if (event === 'connection.update' && data.state === 'open') this.#open.add(instance);
    this.#changes.emit('entry');
  }

  /** Removes the QR codes of the first linking, which are not faults. */
  clearQrCodes(): void {
    this.qrCodeCounts.clear();
  }

  /** Whether the webhook has received the state open of the instance. */
  wasOpen(instance: string): boolean {
    return this.#open.has(instance);
  }

  /** Returns the instances without an accepted send, or without a received message, from the time after `since`. */
  findCutOff(instances: readonly string[], since: number): string[] {
    const isLate = (at: number | undefined) => (at ?? 0) < since;
    return instances.filter((name) => isLate(this.#lastRequestAt.get(name)) || isLate(this.#lastSentAt.get(name)));
  }

  /** Resolves when `check` returns true; calls it after every entry. Rejects after `limit` ms with `missing()`. */
  async until(check: () => boolean, limit: number, missing: () => string): Promise<void> {
    if (check()) return;
    const done = Promise.withResolvers<void>();
    const checkNow = () => check() && done.resolve();
    const timer = setTimeout(() => done.reject(new Error(`not within ${limit} ms: ${missing()}`)), limit);
    this.#changes.on('entry', checkNow);
    await done.promise.finally(() => {
      clearTimeout(timer);
      this.#changes.off('entry', checkNow);
    });
  }

  #recordMessage(id: string, text = ''): void {
    const entry = this.inbounds.get(text);
    if (!entry) return void this.unknownTexts.push(text);
    entry.ids.add(id);
    if (entry.receivedAt !== undefined) return;
    entry.receivedAt = now();
    this.#lastSentAt.set(entry.instance, entry.sentAt);
    const chat = `${entry.instance} ${entry.from}`;
    if (entry.n < (this.#lastReceivedNumber.get(chat) ?? -1))
      this.outOfOrder.push(`${text} of ${entry.from} after ${this.#lastReceivedNumber.get(chat)}`);
    this.#lastReceivedNumber.set(chat, entry.n);
  }
}
