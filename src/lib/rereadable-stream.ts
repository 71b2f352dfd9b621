// A stream that can be read again from its start, as long as no more than a limited number of bytes was read.
import { Readable } from 'node:stream';

export class RereadableStream {
  readonly #source: AsyncIterator<Buffer>;
  #limit: number;
  /** The chunks that were read, from chunk number `#first` on. */
  #buffered: Buffer[] = [];
  #first = 0;
  #size = 0;
  /** The current read of the source, shared by all readers. */
  #pending: Promise<boolean> | undefined;
  #failure: unknown;

  /** Buffers up to `limit` bytes. */
  constructor(source: Readable, limit: number) {
    this.#source = source.iterator({ destroyOnReturn: false });
    this.#limit = limit;
  }

  /** Whether some of the source was read already. */
  get isTouched(): boolean {
    return this.#first + this.#buffered.length > 0;
  }

  /** Whether it can still be read from the start. */
  get isWhole(): boolean {
    return this.#first === 0;
  }

  /** The error of the source, if it failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The stream from its start. Fails like the source, or when the start is no longer buffered. */
  read(): Readable {
    return Readable.from(this.#chunks(), { objectMode: false });
  }

  /** Reads and discards the rest. Some senders read a response only after they have sent everything. */
  async drain(): Promise<void> {
    this.#limit = 0;
    try {
      while (await this.#pull());
    } catch {
      // A failed source has no rest.
    }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; ; at++) {
      while (at >= this.#first + this.#buffered.length) if (!(await this.#pull())) return;
      const chunk = this.#buffered[at - this.#first];
      if (!chunk) throw new Error('the start of the stream is no longer buffered');
      yield chunk;
    }
  }

  #pull(): Promise<boolean> {
    this.#pending ??= this.#next().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #next(): Promise<boolean> {
    // After a failure, the iterator of the source only reports its end.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const { done, value } = await this.#source.next();
      if (done) return false;
      this.#size += value.length;
      if (this.#size > this.#limit) {
        this.#first += this.#buffered.length;
        this.#buffered = [];
      }
      this.#buffered.push(value);
      return true;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
