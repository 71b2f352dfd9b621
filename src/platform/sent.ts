// The messages this session has sent and not finished with: whose ack is awaited, and which are not in the store yet.

/** Sends whose ack is awaited at the same time, at most; older ones are forgotten. */
const max = 10_000;

export class SentMessages {
  readonly #unacknowledged = new Set<string>();
  readonly #unrecorded = new Map<string, Promise<void>>();

  /** A message goes out under `id`; `recorded` settles when it is stored or given up. */
  expect(id: string, recorded: Promise<unknown>): void {
    const forget = () => {
      this.#unrecorded.delete(id);
    };
    this.#unrecorded.set(id, recorded.then(forget, forget));
    this.#unacknowledged.add(id);
    const [oldest] = this.#unacknowledged.size > max ? this.#unacknowledged : [];
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
}
