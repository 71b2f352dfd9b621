// Tracks the sent messages of a session: those that WhatsApp has not acknowledged yet, those that are not stored yet,
// and the callers that wait for the next status of a message. Decision D-017.

import type { StatusChange } from '../../events/event-batch.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { AddressRetry, SessionPendingMessages } from '../session.ts';

/**
 * Maximum number of unacknowledged messages; the oldest are evicted. Usually an evicted message was reported as overdue
 * before. Otherwise, the next session of the instance reports the message as unconfirmed.
 */
const MAX_UNACKNOWLEDGED = 10_000;
/** Maximum number of errors that are kept for nextStatus(); the oldest are evicted. */
const MAX_ERRORS = 1_000;

interface UnacknowledgedMessage {
  key: MessageKey;
  /** Time of performance.now(). */
  addedAtMs: number;
  isOverdue: boolean;
  /** Number of stanzas of the message that WhatsApp has neither accepted nor refused. */
  openStanzas: number;
  /**
   * Settles when all stanzas of the message are written. From then on, `openStanzas` is exact and this is undefined.
   */
  writing: Promise<void> | undefined;
  /** Sends the message again, to the other address of its chat (phone number or LID). Undefined: not sent again. */
  retry: AddressRetry | undefined;
  /** `refused`: WhatsApp refused the message, and it may be sent again. `retried`: it was sent again. */
  state: 'sent' | 'refused' | 'retried';
}

export class PendingMessages implements SessionPendingMessages {
  readonly #unacknowledged = new BoundedMap<string, UnacknowledgedMessage>(MAX_UNACKNOWLEDGED);
  /** The attempts to store messages, by message id. */
  readonly #storeAttempts = new Map<string, Promise<void>>();
  readonly #ackTimeoutMs: number;
  readonly #onOverdue: (keys: MessageKey[]) => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** The callers of nextStatus() by message id. */
  readonly #statusWaiters = new Map<string, Set<(status?: StatusChange) => void>>();
  /** The stored statuses ERROR, by message id. add() removes the status of its message. */
  readonly #errors = new BoundedMap<string, StatusChange>(MAX_ERRORS);
  /** True when no more statuses are stored in this session. */
  #areStatusesComplete = false;

  /**
   * Passes each message without an ack after `ackTimeoutMs` to `onOverdue` once; one call can contain several messages.
   * The call can be late by up to half of `ackTimeoutMs`. acknowledge() still accepts an overdue message.
   */
  constructor(ackTimeoutMs: number, onOverdue: (keys: MessageKey[]) => void) {
    this.#ackTimeoutMs = ackTimeoutMs;
    this.#onOverdue = onOverdue;
  }

  /**
   * Adds a message. `mayHaveBeenSent` settles after the attempt to store the message. It resolves with false when the
   * message was certainly not sent and is therefore not stored. A rejection counts as true. After a refusal, `retry`
   * can send the message to the other address of its chat. `stanzaCount` resolves with the number of stanzas of the
   * message when they are written, and does not reject. Without `stanzaCount`, the message is one stanza.
   */
  add(key: MessageKey, mayHaveBeenSent: Promise<boolean>, retry?: AddressRetry, stanzaCount?: Promise<number>): void {
    const { id } = key;
    this.#errors.delete(id);
    const onStoreAttempted = (isPossiblySent: boolean) => {
      this.#storeAttempts.delete(id);
      if (!isPossiblySent) this.#unacknowledged.delete(id);
    };
    this.#storeAttempts.set(
      id,
      mayHaveBeenSent.then(onStoreAttempted, () => onStoreAttempted(true)),
    );
    const message: UnacknowledgedMessage = {
      key,
      addedAtMs: performance.now(),
      isOverdue: false,
      openStanzas: 1,
      writing: undefined,
      retry,
      state: 'sent',
    };
    message.writing = stanzaCount?.then((count) => {
      message.openStanzas = count;
      message.writing = undefined;
    });
    this.#unacknowledged.set(id, message);
    if (!this.#isStopped) this.#timer ??= setTimeout(() => this.#checkOverdue(), this.#ackTimeoutMs).unref();
  }

  /**
   * Handles an ack. `isAccepted` is false for a final refusal. Returns false when no message with this id is waiting
   * for an ack.
   */
  acknowledge(id: string, isAccepted = true): boolean {
    const message = this.#unacknowledged.get(id);
    if (message?.state === 'retried') message.retry?.onAck(isAccepted);
    return this.#unacknowledged.delete(id);
  }

  /**
   * Returns a promise while stanzas of a message are still being written to the socket. It resolves when all are
   * written; only then may the caller handle a refusal of a stanza. Returns undefined when all stanzas are written, or
   * when no message with this id is waiting.
   */
  writingOf(id: string): Promise<void> | undefined {
    return this.#unacknowledged.get(id)?.writing;
  }

  /**
   * Records that WhatsApp refused one stanza of a message that is sent in several. Returns true while WhatsApp can
   * still accept another stanza of the message. The caller must then not publish the refusal. Unlike markRefused(), it
   * does not prepare another attempt.
   */
  markStanzaRefused(id: string): boolean {
    const message = this.#unacknowledged.get(id);
    if (!message || message.openStanzas <= 1) return false;
    message.openStanzas -= 1;
    return true;
  }

  /**
   * Records that WhatsApp refused a message. Returns true when the message may be sent again: it keeps waiting for an
   * ack, and the caller must call takeRetry(). Returns false when the refusal is final, so that the caller must call
   * acknowledge(), or when no message with this id is waiting.
   */
  markRefused(id: string): boolean {
    const message = this.#unacknowledged.get(id);
    if (!message?.retry || message.state !== 'sent') return false;
    message.state = 'refused';
    return true;
  }

  /** True between markRefused() and takeRetry(). The caller must ignore further acks of the message in this time. */
  isRefused(id: string): boolean {
    return this.#unacknowledged.get(id)?.state === 'refused';
  }

  /**
   * Returns the retry of a refused message. The message then waits for the ack of the retry. Returns undefined when the
   * message was reported as overdue, because the API client may already have repeated the request.
   */
  takeRetry(id: string): AddressRetry | undefined {
    const message = this.#unacknowledged.get(id);
    if (message?.state !== 'refused' || message.isOverdue) return undefined;
    message.state = 'retried';
    message.addedAtMs = performance.now();
    return message.retry;
  }

  /** Stops waiting for the ack of a message that was refused and not sent again. */
  drop(id: string): void {
    this.#unacknowledged.delete(id);
  }

  /**
   * Resolves with the next status of the message `id` after that status is stored, or with undefined at the timeout or
   * after stopStatusWaits(). Resolves at once when the status ERROR was stored since the last add() of the message.
   */
  nextStatus(id: string, timeoutMs: number): Promise<StatusChange | undefined> {
    const error = this.#errors.get(id);
    if (error) return Promise.resolve(error);
    if (this.#areStatusesComplete) return Promise.resolve(undefined);
    const statusWaiters = this.#statusWaiters;
    return new Promise((resolve) => {
      const waiters = statusWaiters.get(id) ?? new Set();
      statusWaiters.set(id, waiters);
      const timer = setTimeout(settle, timeoutMs);
      waiters.add(settle);

      function settle(status?: StatusChange): void {
        clearTimeout(timer);
        waiters.delete(settle);
        if (waiters.size === 0) statusWaiters.delete(id);
        resolve(status);
      }
    });
  }

  /** Handles events that have just been stored: passes statuses to the callers of nextStatus(), and keeps errors. */
  onStored(events: readonly DomainEvent[]): void {
    for (const event of events) {
      if (event.type !== 'messages.update' || !event.status) continue;
      if (event.status === 'ERROR') this.#errors.set(event.key.id, event);
      for (const settle of [...(this.#statusWaiters.get(event.key.id) ?? [])]) settle(event);
    }
  }

  /** Returns a promise that settles after the attempt to store the message, or undefined when no attempt is running. */
  storeAttemptOf(id: string): Promise<void> | undefined {
    return this.#storeAttempts.get(id);
  }

  /**
   * Call this at the end of the session. Stops the timer, so that no further message is reported as overdue. Waits for
   * the attempts to store messages, and returns the unacknowledged messages that may have been sent.
   */
  async stopAndListUnconfirmed(): Promise<MessageKey[]> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    while (this.#storeAttempts.size > 0) await Promise.all(this.#storeAttempts.values());
    return Array.from(this.#unacknowledged.values(), ({ key }) => key);
  }

  /** Call this when all statuses of the session are stored. Ends the waits of nextStatus(). */
  stopStatusWaits(): void {
    this.#areStatusesComplete = true;
    for (const settle of [...this.#statusWaiters.values()].flatMap((waiters) => [...waiters])) settle();
  }

  #checkOverdue(): void {
    const overdueIfAddedBy = performance.now() - this.#ackTimeoutMs;
    const notReported = [...this.#unacknowledged.values()].filter(({ isOverdue }) => !isOverdue);
    const overdue = notReported.filter(({ addedAtMs }) => addedAtMs <= overdueIfAddedBy);
    for (const message of overdue) {
      message.isOverdue = true;
      // An overdue message is not sent again. Its retry is removed, because the retry keeps the content of the message
      // in memory. In the states `refused` and `retried` the retry stays until acknowledge() or drop() removes the
      // message, which happens soon.
      if (message.state === 'sent') message.retry = undefined;
    }
    const areAllOverdue = notReported.length === overdue.length;
    this.#timer = areAllOverdue ? undefined : setTimeout(() => this.#checkOverdue(), this.#ackTimeoutMs / 2).unref();
    if (overdue.length > 0) this.#onOverdue(overdue.map(({ key }) => key));
  }
}
