// A stream that is read while it comes, and can be read again from its start as long as it is short.
import { Readable } from 'node:stream';

export class RereadableStream {
  readonly #source: AsyncIterator<Buffer>;
  #limit: number;
  /** What was read, from the chunk number `#first` on. */
  #kept: Buffer[] = [];
  #first = 0;
  #size = 0;
  /** One reading of the source at a time, for whoever waits for it. */
  #pulling: Promise<boolean> | undefined;
  #failure: unknown;

  /** Keeps up to `limit` bytes. */
  constructor(source: Readable, limit: number) {
    this.#source = source.iterator({ destroyOnReturn: false });
    this.#limit = limit;
  }

  /** Something of the source was read: nobody else gets all of it. */
  get isTouched(): boolean {
    return this.#first + this.#kept.length > 0;
  }

  /** It can be read from the start. */
  get isWhole(): boolean {
    return this.#first === 0;
  }

  /** Why the source ended early, if it did. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The source, from its start. Fails as the source does, or when the start is gone. */
  read(): Readable {
    return Readable.from(this.#chunks(), { objectMode: false });
  }

  /** Reads the rest for nobody: whoever sends it may not listen before it is all sent. */
  async drain(): Promise<void> {
    this.#limit = 0;
    try {
      while (await this.#pull());
    } catch {
      // The source has failed; there is no rest.
    }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; ; at++) {
      while (at >= this.#first + this.#kept.length) if (!(await this.#pull())) return;
      const chunk = this.#kept[at - this.#first];
      if (!chunk) throw new Error('the start of the stream is not kept');
      yield chunk;
    }
  }

  #pull(): Promise<boolean> {
    this.#pulling ??= this.#next().finally(() => {
      this.#pulling = undefined;
    });
    return this.#pulling;
  }

  async #next(): Promise<boolean> {
    // Once it has failed the source only says that it is over.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const { done, value } = await this.#source.next();
      if (done) return false;
      this.#size += value.length;
      if (this.#size > this.#limit) {
        this.#first += this.#kept.length;
        this.#kept = [];
      }
      this.#kept.push(value);
      return true;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
