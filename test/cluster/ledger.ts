// What was accepted, what phones sent, and what the webhook received of either: kept at both ends, compared at the end.
import { EventEmitter } from 'node:events';
import type { Post } from '../support/receiver.ts';

/** A send as its caller saw it. */
export interface Send {
  instance: string;
  to: string;
  text: string;
  /** Epoch ms of each attempt, and how it ended: an HTTP status with the code of the error, or why there was no answer. */
  attempts: { at: number; outcome: string }[];
  /** Epoch ms of the answer 2xx, and when the request that got it was made. */
  accepted?: { at: number; askedAt: number; id: string };
  /** Refused permanently under its key: it may have arrived. */
  isUncertain: boolean;
}

/** A message of a phone. */
export interface Inbound {
  instance: string;
  from: string;
  text: string;
  /** Place among the messages of its chat. */
  n: number;
  sentAt: number;
  heardAt: number | undefined;
  /** webhook-ids under which it was received. */
  ids: Set<string>;
}

/** Epoch ms, of this process; the platform's are of the same machine. */
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
  /** Times that each webhook-id came. */
  readonly posts = new Map<string, number>();
  /** Messages that the webhook received as failed. */
  readonly reported = new Set<string>();
  /** Texts of messages received before an earlier one of their chat. */
  readonly outOfOrder: string[] = [];
  /** Received messages that no phone sent. */
  readonly unknown: string[] = [];
  /** QR codes shown, by instance. */
  readonly codes = new Map<string, number>();
  readonly #open = new Set<string>();
  /** When the last send that was accepted was made, and the last message that was received was sent: epoch ms by instance. */
  readonly #acceptedAsk = new Map<string, number>();
  readonly #heardSent = new Map<string, number>();
  readonly #lastHeard = new Map<string, number>();
  readonly #news = new EventEmitter().setMaxListeners(0);

  /** Of a phone that is about to send; the webhook can receive it before the call has returned. */
  inbound(message: Pick<Inbound, 'instance' | 'from' | 'text' | 'n'>): Inbound {
    const entry = { ...message, sentAt: now(), heardAt: undefined, ids: new Set<string>() };
    this.inbounds.set(entry.text, entry);
    return entry;
  }

  send(message: Pick<Send, 'instance' | 'to' | 'text'>): Send {
    const entry: Send = { ...message, attempts: [], isUncertain: false };
    this.sends.push(entry);
    return entry;
  }

  accept(entry: Send, askedAt: number, id: string): void {
    entry.accepted = { at: now(), askedAt, id };
    this.#acceptedAsk.set(entry.instance, askedAt);
    this.#news.emit('entry');
  }

  /** Every post to the webhook. */
  recordPost(post: Post): void {
    const id = post.headers['webhook-id'] ?? '';
    this.posts.set(id, (this.posts.get(id) ?? 0) + 1);
    const { event, instance = '', data = {} } = post.body as Body;
    if (event === 'messages.upsert' && data.key?.fromMe === false) this.#hearMessage(id, data.message?.conversation);
    if (event === 'messages.update' && data.status === 'ERROR' && data.keyId) this.reported.add(data.keyId);
    if (event === 'qrcode.updated') this.codes.set(instance, (this.codes.get(instance) ?? 0) + 1);
    if (event === 'connection.update' && data.state === 'open') this.#open.add(instance);
    this.#news.emit('entry');
  }

  /** Those of the linking are no fault. */
  forgetCodes(): void {
    this.codes.clear();
  }

  /** Whether the webhook ever received that the instance is open. */
  wasOpen(instance: string): boolean {
    return this.#open.has(instance);
  }

  /** Instances of these that since then have not both accepted a send made since, and reported a message sent since. */
  cutOff(instances: readonly string[], since: number): string[] {
    const isLate = (at: number | undefined) => (at ?? 0) < since;
    return instances.filter((name) => isLate(this.#acceptedAsk.get(name)) || isLate(this.#heardSent.get(name)));
  }

  /** Resolves when `check` holds, asked after every entry. Rejects after `limit` ms with what `missing` says. */
  async until(check: () => boolean, limit: number, missing: () => string): Promise<void> {
    if (check()) return;
    const done = Promise.withResolvers<void>();
    const look = () => check() && done.resolve();
    const timer = setTimeout(() => done.reject(new Error(`not within ${limit} ms: ${missing()}`)), limit);
    this.#news.on('entry', look);
    await done.promise.finally(() => {
      clearTimeout(timer);
      this.#news.off('entry', look);
    });
  }

  #hearMessage(id: string, text = ''): void {
    const entry = this.inbounds.get(text);
    if (!entry) return void this.unknown.push(text);
    entry.ids.add(id);
    if (entry.heardAt !== undefined) return;
    entry.heardAt = now();
    this.#heardSent.set(entry.instance, entry.sentAt);
    const chat = `${entry.instance} ${entry.from}`;
    if (entry.n < (this.#lastHeard.get(chat) ?? -1))
      this.outOfOrder.push(`${text} of ${entry.from} after ${this.#lastHeard.get(chat)}`);
    this.#lastHeard.set(chat, entry.n);
  }
}
