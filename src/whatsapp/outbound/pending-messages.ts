// Tracks the sent messages of a session: those that WhatsApp has not acknowledged yet, those that are not stored yet,
// and the callers that wait for the next status of a message.

import type { StatusChange } from '../../events/event-batch.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { SessionPendingMessages } from '../session.ts';

/** Maximum number of unacknowledged messages; the oldest are evicted. */
const MAX_UNACKNOWLEDGED = 10_000;

interface UnacknowledgedMessage {
  key: MessageKey;
  /** Time of the process clock (performance.now()). */
  addedAtMs: number;
  isOverdue: boolean;
}

export class PendingMessages implements SessionPendingMessages {
  readonly #unacknowledged = new BoundedMap<string, UnacknowledgedMessage>(MAX_UNACKNOWLEDGED);
  readonly #unstored = new Map<string, Promise<void>>();
  readonly #ackTimeoutMs: number;
  readonly #onOverdue: (keys: MessageKey[]) => void;
  #timer: NodeJS.Timeout | undefined;
  /** The callers of nextStatus() by message id. */
  readonly #statusWaiters = new Map<string, Set<(status?: StatusChange) => void>>();

  /**
   * `onOverdue` is called once for each message that has no ack after `ackTimeoutMs`. The call can be late by up to
   * half of that time. acknowledge() still accepts an overdue message.
   */
  constructor(ackTimeoutMs: number, onOverdue: (keys: MessageKey[]) => void) {
    this.#ackTimeoutMs = ackTimeoutMs;
    this.#onOverdue = onOverdue;
  }

  /**
   * Adds a message. `recorded` resolves after the attempt to store the message. Its value is false when the message was
   * certainly not sent and is therefore not stored, and true otherwise.
   */
  add(key: MessageKey, recorded: Promise<boolean>): void {
    const { id } = key;
    const onRecorded = (mayHaveBeenSent: boolean) => {
      this.#unstored.delete(id);
      if (!mayHaveBeenSent) this.#unacknowledged.delete(id);
    };
    this.#unstored.set(id, recorded.then(onRecorded));
    this.#unacknowledged.set(id, { key, addedAtMs: performance.now(), isOverdue: false });
    this.#timer ??= setTimeout(() => this.#checkOverdue(), this.#ackTimeoutMs).unref();
  }

  /** Handles an ack. Returns false when no message with this id is waiting for an ack. */
  acknowledge(id: string): boolean {
    return this.#unacknowledged.delete(id);
  }

  /**
   * Resolves with the next status of the message `id` after that status is stored, or with undefined at the timeout.
   */
  nextStatus(id: string, timeoutMs: number): Promise<StatusChange | undefined> {
    return new Promise((resolve) => {
      const waiters = this.#statusWaiters.get(id) ?? new Set();
      this.#statusWaiters.set(id, waiters);
      const settle = (status?: StatusChange) => {
        clearTimeout(timer);
        waiters.delete(settle);
        if (waiters.size === 0) this.#statusWaiters.delete(id);
        resolve(status);
      };
      const timer = setTimeout(settle, timeoutMs);
      waiters.add(settle);
    });
  }

  /** Handles events that have just been stored: passes statuses to the callers of nextStatus(). */
  onStored(events: readonly DomainEvent[]): void {
    if (this.#statusWaiters.size === 0) return;
    for (const event of events) {
      if (event.type !== 'messages.update' || !event.status) continue;
      for (const settle of [...(this.#statusWaiters.get(event.key.id) ?? [])]) settle(event);
    }
  }

  /** Returns a promise that settles when the message is stored, or undefined when there is nothing to wait for. */
  untilStored(id: string): Promise<void> | undefined {
    return this.#unstored.get(id);
  }

  /**
   * Call this at the end of the session. Waits until all messages are stored, stops the timer, and returns the
   * unacknowledged messages that may have been sent.
   */
  async stopAndListUnconfirmed(): Promise<MessageKey[]> {
    await Promise.all(this.#unstored.values());
    clearTimeout(this.#timer);
    return Array.from(this.#unacknowledged.values(), ({ key }) => key);
  }

  #checkOverdue(): void {
    const overdueIfAddedBy = performance.now() - this.#ackTimeoutMs;
    const waiting = [...this.#unacknowledged.values()].filter(({ isOverdue }) => !isOverdue);
    const overdue = waiting.filter(({ addedAtMs }) => addedAtMs <= overdueIfAddedBy);
    for (const message of overdue) message.isOverdue = true;
    const isNoneLeft = waiting.length === overdue.length;
    this.#timer = isNoneLeft ? undefined : setTimeout(() => this.#checkOverdue(), this.#ackTimeoutMs / 2).unref();
    if (overdue.length > 0) this.#onOverdue(overdue.map(({ key }) => key));
  }
}
