// The messages this session has sent and not finished with: whose ack is awaited, and which are not in the store yet.

import type { StatusChange } from '../../events/event-batch.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import type { SessionPendingMessages } from '../session.ts';

/** Sends whose ack is awaited at the same time, at most; older ones are forgotten. */
const MAX_PENDING = 10_000;

interface PendingMessage {
  key: MessageKey;
  /** ms */
  at: number;
  isOverdue: boolean;
}

export class PendingMessages implements SessionPendingMessages {
  readonly #unacknowledged = new Map<string, PendingMessage>();
  readonly #unrecorded = new Map<string, Promise<void>>();
  readonly #ackTimeout: number;
  readonly #onOverdue: (keys: MessageKey[]) => void;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiters = new Map<string, Set<(reached?: StatusChange) => void>>();

  /** Messages without an ack for `patience` ms, or a little longer, are reported once; their ack is still awaited. */
  constructor(patience: number, onOverdue: (keys: MessageKey[]) => void) {
    this.#ackTimeout = patience;
    this.#onOverdue = onOverdue;
  }

  /** A message goes out under `key`; `recorded` settles when it is stored, with false when it is certain that it never left. */
  expect(key: MessageKey, recorded: Promise<boolean>): void {
    const { id } = key;
    const settle = (left: boolean) => {
      this.#unrecorded.delete(id);
      if (!left) this.#unacknowledged.delete(id);
    };
    this.#unrecorded.set(id, recorded.then(settle));
    this.#unacknowledged.set(id, { key, at: performance.now(), isOverdue: false });
    this.#timer ??= setTimeout(() => this.#checkOverdue(), this.#ackTimeout).unref();
    const [oldest] = this.#unacknowledged.size > MAX_PENDING ? this.#unacknowledged.keys() : [];
    if (oldest !== undefined) this.#unacknowledged.delete(oldest);
  }

  /** True once for every id that was expected. */
  acknowledge(id: string): boolean {
    return this.#unacknowledged.delete(id);
  }

  /** The next status that is stored for the message `id`; undefined when there is none within `ms`. */
  outcome(id: string, ms: number): Promise<StatusChange | undefined> {
    return new Promise((resolve) => {
      const waiting = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiting);
      const settle = (reached?: StatusChange) => {
        clearTimeout(timer);
        waiting.delete(settle);
        if (waiting.size === 0) this.#waiters.delete(id);
        resolve(reached);
      };
      const timer = setTimeout(settle, ms);
      waiting.add(settle);
    });
  }

  /** These are in the store: whoever waits for a status among them hears of it. */
  onStored(events: readonly DomainEvent[]): void {
    if (this.#waiters.size === 0) return;
    for (const event of events) {
      if (event.type !== 'messages.update' || !event.status) continue;
      for (const settle of [...(this.#waiters.get(event.key.id) ?? [])]) settle(event);
    }
  }

  /** Settles when the message is in the store; undefined when there is nothing to wait for. */
  recording(id: string): Promise<void> | undefined {
    return this.#unrecorded.get(id);
  }

  /** For the end of the session: the messages that may have left and were never acknowledged, once all are in the store. */
  async unconfirmed(): Promise<MessageKey[]> {
    await Promise.all(this.#unrecorded.values());
    clearTimeout(this.#timer);
    return Array.from(this.#unacknowledged.values(), ({ key }) => key);
  }

  #checkOverdue(): void {
    const since = performance.now() - this.#ackTimeout;
    const waiting = [...this.#unacknowledged.values()].filter(({ isOverdue }) => !isOverdue);
    const overdue = waiting.filter(({ at }) => at <= since);
    for (const sent of overdue) sent.isOverdue = true;
    const isDone = waiting.length === overdue.length;
    this.#timer = isDone ? undefined : setTimeout(() => this.#checkOverdue(), this.#ackTimeout / 2).unref();
    if (overdue.length > 0) this.#onOverdue(overdue.map(({ key }) => key));
  }
}
