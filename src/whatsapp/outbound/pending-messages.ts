// Sent messages of a session that have no ack yet or are not stored yet.

import type { StatusChange } from '../../events/event-batch.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { SessionPendingMessages } from '../session.ts';

/** Messages without an ack to remember; the oldest are evicted. */
const MAX_PENDING = 10_000;

interface PendingMessage {
  key: MessageKey;
  /** ms */
  at: number;
  isOverdue: boolean;
}

export class PendingMessages implements SessionPendingMessages {
  readonly #unacknowledged = new BoundedMap<string, PendingMessage>(MAX_PENDING);
  readonly #unrecorded = new Map<string, Promise<void>>();
  readonly #ackTimeout: number;
  readonly #onOverdue: (keys: MessageKey[]) => void;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiters = new Map<string, Set<(reached?: StatusChange) => void>>();

  /**
   * Reports messages without an ack for `ackTimeout` ms (up to 1.5 times of it) once to `onOverdue`. A later ack is still
   * processed.
   */
  constructor(ackTimeout: number, onOverdue: (keys: MessageKey[]) => void) {
    this.#ackTimeout = ackTimeout;
    this.#onOverdue = onOverdue;
  }

  /** Adds a message. `recorded` settles when it is stored; false means that it was certainly not sent. */
  expect(key: MessageKey, recorded: Promise<boolean>): void {
    const { id } = key;
    const settle = (mayHaveBeenSent: boolean) => {
      this.#unrecorded.delete(id);
      if (!mayHaveBeenSent) this.#unacknowledged.delete(id);
    };
    this.#unrecorded.set(id, recorded.then(settle));
    this.#unacknowledged.set(id, { key, at: performance.now(), isOverdue: false });
    this.#timer ??= setTimeout(() => this.#checkOverdue(), this.#ackTimeout).unref();
  }

  /** Returns true once for each id that was added. */
  acknowledge(id: string): boolean {
    return this.#unacknowledged.delete(id);
  }

  /** Resolves with the next stored status of the message `id`, or with undefined after `ms`. */
  nextStatus(id: string, ms: number): Promise<StatusChange | undefined> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      const settle = (reached?: StatusChange) => {
        clearTimeout(timer);
        waiters.delete(settle);
        if (waiters.size === 0) this.#waiters.delete(id);
        resolve(reached);
      };
      const timer = setTimeout(settle, ms);
      waiters.add(settle);
    });
  }

  /** Passes the stored statuses to the callers of outcome(). */
  onStored(events: readonly DomainEvent[]): void {
    if (this.#waiters.size === 0) return;
    for (const event of events) {
      if (event.type !== 'messages.update' || !event.status) continue;
      for (const settle of [...(this.#waiters.get(event.key.id) ?? [])]) settle(event);
    }
  }

  /** Settles when the message is stored. Undefined when it already is. */
  recording(id: string): Promise<void> | undefined {
    return this.#unrecorded.get(id);
  }

  /** At the end of the session: returns the messages that may have been sent and have no ack, after all are stored. */
  async unconfirmed(): Promise<MessageKey[]> {
    await Promise.all(this.#unrecorded.values());
    clearTimeout(this.#timer);
    return Array.from(this.#unacknowledged.values(), ({ key }) => key);
  }

  #checkOverdue(): void {
    const since = performance.now() - this.#ackTimeout;
    const waiters = [...this.#unacknowledged.values()].filter(({ isOverdue }) => !isOverdue);
    const overdue = waiters.filter(({ at }) => at <= since);
    for (const sent of overdue) sent.isOverdue = true;
    const isDone = waiters.length === overdue.length;
    this.#timer = isDone ? undefined : setTimeout(() => this.#checkOverdue(), this.#ackTimeout / 2).unref();
    if (overdue.length > 0) this.#onOverdue(overdue.map(({ key }) => key));
  }
}
