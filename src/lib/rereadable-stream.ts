// Wraps a stream so that it can be read several times from its start, as long as at most `limit` bytes were read.
import { Readable } from 'node:stream';

export class RereadableStream {
  readonly #source: AsyncIterator<Buffer>;
  #limit: number;
  #buffered: Buffer[] = [];
  /** Number of chunks that were read and are no longer in `#buffered`. */
  #discarded = 0;
  /** Bytes read so far. */
  #size = 0;
  /** The current read of the source, shared by all readers. */
  #pending: Promise<boolean> | undefined;
  #failure: unknown;

  /** Once more than `limit` bytes have been read in total, only the latest chunk is kept. */
  constructor(source: Readable, limit: number) {
    this.#source = source.iterator({ destroyOnReturn: false });
    this.#limit = limit;
  }

  /** Whether anything was read from the source. */
  get isStarted(): boolean {
    return this.#discarded + this.#buffered.length > 0;
  }

  /** Whether the stream can still be read from its start. */
  get isRereadable(): boolean {
    return this.#discarded === 0;
  }

  /** The error of the source, if it failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Returns the stream from its start. It fails when the source fails or when its start is no longer buffered. */
  read(): Readable {
    return Readable.from(this.#chunks(), { objectMode: false });
  }

  /**
   * Reads and discards the rest of the source. This is needed for the body of an HTTP request: some clients read the
   * response only after they have sent the whole body.
   */
  async drain(): Promise<void> {
    this.#limit = 0;
    try {
      while (await this.#pull());
    } catch {
      // A failed source has no rest.
    }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let index = 0; ; index++) {
      while (index >= this.#discarded + this.#buffered.length) if (!(await this.#pull())) return;
      const chunk = this.#buffered[index - this.#discarded];
      if (!chunk) throw new Error('the start of the stream is no longer buffered');
      yield chunk;
    }
  }

  /** Reads one more chunk of the source. Resolves with false at the end of the source. */
  #pull(): Promise<boolean> {
    this.#pending ??= this.#next().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #next(): Promise<boolean> {
    // After a failure, the iterator of the source would report the end of the stream instead of the error.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const { done, value } = await this.#source.next();
      if (done) return false;
      this.#size += value.length;
      if (this.#size > this.#limit) {
        this.#discarded += this.#buffered.length;
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
