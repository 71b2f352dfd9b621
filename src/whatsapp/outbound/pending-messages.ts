// Tracks the sent messages of a session: those that WhatsApp has not acknowledged yet, those that are not stored yet,
// and the callers that wait for the next status of a message. Decision D-017.

import type { StatusChange } from '../../events/event-batch.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { AddressRetry, SessionPendingMessages } from '../session.ts';

/** Maximum number of unacknowledged messages; the oldest are evicted. */
const MAX_UNACKNOWLEDGED = 10_000;

interface UnacknowledgedMessage {
  key: MessageKey;
  /** Time of performance.now(). */
  addedAtMs: number;
  isOverdue: boolean;
  /** Absent for a message that is not sent again after a refusal. */
  retry: AddressRetry | undefined;
  /** `refused`: WhatsApp refused the message, and it may be sent again. `retried`: it was sent again. */
  state: 'sent' | 'refused' | 'retried';
}

export class PendingMessages implements SessionPendingMessages {
  readonly #unacknowledged = new BoundedMap<string, UnacknowledgedMessage>(MAX_UNACKNOWLEDGED);
  /** The attempts to store messages, by message id. */
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
   * certainly not sent and is therefore not stored, and true otherwise. `retry` sends the message again after a
   * refusal.
   */
  add(key: MessageKey, recorded: Promise<boolean>, retry?: AddressRetry): void {
    const { id } = key;
    const onRecorded = (mayHaveBeenSent: boolean) => {
      this.#unstored.delete(id);
      if (!mayHaveBeenSent) this.#unacknowledged.delete(id);
    };
    this.#unstored.set(id, recorded.then(onRecorded));
    this.#unacknowledged.set(id, { key, addedAtMs: performance.now(), isOverdue: false, retry, state: 'sent' });
    this.#timer ??= setTimeout(() => this.#checkOverdue(), this.#ackTimeoutMs).unref();
  }

  /** Handles an ack. Returns false when no message with this id is waiting for an ack. */
  acknowledge(id: string, isAccepted = true): boolean {
    const message = this.#unacknowledged.get(id);
    if (message?.state === 'retried') message.retry?.onAck(isAccepted);
    return this.#unacknowledged.delete(id);
  }

  /**
   * Handles a refusal after which the message may be sent again. The message keeps waiting for an ack. Returns false
   * when the refusal is final, or no message with this id is waiting. The caller then calls acknowledge().
   */
  refuse(id: string): boolean {
    const message = this.#unacknowledged.get(id);
    if (!message?.retry || message.state !== 'sent') return false;
    message.state = 'refused';
    return true;
  }

  /** True between refuse() and takeRetry(). Further acks of the message are ignored in this time. */
  isRefused(id: string): boolean {
    return this.#unacknowledged.get(id)?.state === 'refused';
  }

  /**
   * Returns the retry of a refused message. The message then waits for the ack of the retry. Returns undefined when the
   * message was reported as overdue, because the API client may have sent it again.
   */
  takeRetry(id: string): AddressRetry | undefined {
    const message = this.#unacknowledged.get(id);
    if (message?.state !== 'refused' || message.isOverdue) return undefined;
    message.state = 'retried';
    message.addedAtMs = performance.now();
    return message.retry;
  }

  /** Stops to wait for the ack of a message that was refused and not sent again. */
  drop(id: string): void {
    this.#unacknowledged.delete(id);
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
    for (const message of overdue) {
      message.isOverdue = true;
      // Releases the content, because the message is not sent again.
      if (message.state === 'sent') message.retry = undefined;
    }
    const areAllOverdue = waiting.length === overdue.length;
    this.#timer = areAllOverdue ? undefined : setTimeout(() => this.#checkOverdue(), this.#ackTimeoutMs / 2).unref();
    if (overdue.length > 0) this.#onOverdue(overdue.map(({ key }) => key));
  }
}
