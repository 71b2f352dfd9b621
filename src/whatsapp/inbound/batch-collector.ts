// Joins batches (groups of Baileys events that arrive together). The batches of received messages that arrive in one
// event-loop turn become one batch, so that a burst is translated once per turn instead of once per message. A message
// arrives as one batch from Baileys, or as up to three batches from baileys/patches/direct-messages.ts: the message,
// its sender's name, and its chat that leaves the archive.
import { atTurnEnd } from '../../lib/event-loop-turn.ts';
import type { Batch } from './batch.ts';
import { splitLongLists } from './batch-portions.ts';
import { isCausedByMessage } from './chat.ts';

/** No further batch is joined to a batch with this many messages, to keep turns short. */
const FULL_BATCH_MESSAGES = 200;

/**
 * The names of the events that a received message causes: the message, the name of the sender, and changes of the chat.
 */
const JOINED_EVENTS: ReadonlySet<string> = new Set(['messages.upsert', 'contacts.update', 'chats.update']);

/** A batch that waits for the end of the turn. `stored` resolves when its events are stored. */
interface WaitingBatch {
  batch: Batch;
  messageCount: number;
  stored: PromiseWithResolvers<void>;
}

/** Handles a batch. Must call `onStored` when all its events are stored. */
export type HandleBatch = (batch: Batch, onStored: () => void) => void;

export class BatchCollector {
  readonly #handle: HandleBatch;
  readonly #onTurnEnd: () => void;
  #waiting: WaitingBatch | undefined;
  #isScheduled = false;

  /**
   * Calls `handle` for each batch, in order. Calls `onTurnEnd` after it has passed on a batch that waited for the end
   * of the turn.
   */
  constructor(handle: HandleBatch, onTurnEnd: () => void) {
    this.#handle = handle;
    this.#onTurnEnd = onTurnEnd;
  }

  /**
   * Passes a batch on: at once, or at the end of the turn when it contains only the events of received messages. Splits
   * a batch with long lists of chats or contacts. Returns a promise that resolves when the events of the batch are
   * stored, and stays pending when they cannot be stored.
   */
  add(batch: Batch): Promise<void> {
    const portions = splitLongLists(batch);
    if (portions.length > 1) return this.#passOnNow(portions);
    const waiting = this.#waiting;
    const messages = batch['messages.upsert'];
    const isJoinable = isCausedByMessages(batch);
    if (waiting && isJoinable && canJoin(waiting, messages)) {
      waiting.messageCount += messages?.messages.length ?? 0;
      append(waiting.batch, batch);
      return waiting.stored.promise;
    }
    if (!messages || !isJoinable) return this.#passOnNow([batch]);
    this.flush();
    const stored = Promise.withResolvers<void>();
    this.#waiting = { batch: copy(batch), messageCount: messages.messages.length, stored };
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      atTurnEnd(() => this.#endTurn());
    }
    return stored.promise;
  }

  /** Passes these batches on at once. Resolves when the events of all of them are stored. */
  async #passOnNow(batches: readonly Batch[]): Promise<void> {
    this.flush();
    const stored = batches.map((batch) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#handle(batch, resolve);
      return promise;
    });
    await Promise.all(stored);
  }

  /** Passes on the batch that waits, if any. Call it before work that must come after the batch. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#handle(waiting.batch, waiting.stored.resolve);
  }

  #endTurn(): void {
    this.#isScheduled = false;
    if (!this.#waiting) return;
    this.flush();
    this.#onTurnEnd();
  }
}

/**
 * True for a batch that only received messages have caused. It contains the messages, or the names and chats that
 * belong to earlier messages. Other changes of chats cannot be joined, because the messages of a batch are stored
 * before its changes of chats.
 */
function isCausedByMessages(batch: Batch): boolean {
  for (const name in batch) if (!JOINED_EVENTS.has(name)) return false;
  const { 'contacts.update': contacts = [], 'chats.update': chats = [] } = batch;
  // A contact with `imgUrl` has a new picture, which no message causes.
  return contacts.every(({ imgUrl }) => imgUrl === undefined) && chats.every(isCausedByMessage);
}

/**
 * True when the waiting batch is not full and a batch with the messages `next` can be joined to it. The messages of
 * both batches must have the same type and the same request id. The type is `notify` for live messages, and `append`
 * for messages that WhatsApp kept while the account was offline. A request id marks messages that the phone sent
 * because this device requested them.
 */
function canJoin({ batch, messageCount }: WaitingBatch, next: Batch['messages.upsert']): boolean {
  const waiting = batch['messages.upsert'];
  const isSameKind = !next || (waiting?.type === next.type && waiting.requestId === next.requestId);
  return messageCount < FULL_BATCH_MESSAGES && isSameKind;
}

/** Returns a copy whose lists append() may change. */
function copy({ 'messages.upsert': upsert, 'contacts.update': contacts, 'chats.update': chats }: Batch): Batch {
  return {
    ...(upsert ? { 'messages.upsert': { ...upsert, messages: [...upsert.messages] } } : {}),
    'contacts.update': [...(contacts ?? [])],
    'chats.update': [...(chats ?? [])],
  };
}

/** Appends the items of `next` to `batch`, a result of copy(). */
function append(batch: Batch, next: Batch): void {
  batch['messages.upsert']?.messages.push(...(next['messages.upsert']?.messages ?? []));
  batch['contacts.update']?.push(...(next['contacts.update'] ?? []));
  batch['chats.update']?.push(...(next['chats.update'] ?? []));
}
