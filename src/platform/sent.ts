// The messages this session has sent and not finished with: whose ack is awaited, and which are not in the store yet.
import type { MessageKey } from '../events.ts';

/** Sends whose ack is awaited at the same time, at most; older ones are forgotten. */
const max = 10_000;

export class SentMessages {
  readonly #unacknowledged = new Map<string, MessageKey>();
  readonly #unrecorded = new Map<string, Promise<void>>();

  /** A message goes out under `key`; `recorded` settles when it is stored, with false when it is certain that it never left. */
  expect(key: MessageKey, recorded: Promise<boolean>): void {
    const { id } = key;
    const settle = (left: boolean) => {
      this.#unrecorded.delete(id);
      if (!left) this.#unacknowledged.delete(id);
    };
    this.#unrecorded.set(id, recorded.then(settle));
    this.#unacknowledged.set(id, key);
    const [oldest] = this.#unacknowledged.size > max ? this.#unacknowledged.keys() : [];
    if (oldest !== undefined) this.#unacknowledged.delete(oldest);
  }

  /** True once for every id that was expected. */
  acknowledge(id: string): boolean {
    return this.#unacknowledged.delete(id);
  }

  /** Settles when the message is in the store; undefined when there is nothing to wait for. */
  recording(id: string): Promise<void> | undefined {
    return this.#unrecorded.get(id);
  }

  /** For the end of the session: the messages that may have left and were never acknowledged, once all are in the store. */
  async unconfirmed(): Promise<MessageKey[]> {
    await Promise.all(this.#unrecorded.values());
    return [...this.#unacknowledged.values()];
  }
}
