// The destination of the log: standard output. Own code, because the destination of pino (sonic-boom) waits without
// limit at the exit of the process, and after a fatal line, for a reader that does not read and for space on a full
// disk. It also keeps any number of lines for such a reader.
import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Maximum length of the lines that wait, in characters. Further lines are dropped. */
const MAX_WAITING_LENGTH = 8 * 1024 * 1024;
/** Minimum time between two writes. Without it, a line of a busy process takes 1.5 to 2 times the CPU time. */
const WRITE_INTERVAL_MS = 10;
/** At the exit of the process, the time after which a reader that has not read gets no more lines. */
const EXIT_TIMEOUT_MS = 1_000;
const NO_BYTES = Buffer.alloc(0);

/**
 * Writes a line at the end of the turn of the event loop, or together with the lines of the next WRITE_INTERVAL_MS.
 * Keeps lines in memory while the pipe or the disk is full, and drops lines above MAX_WAITING_LENGTH. Drops all lines
 * when the reader has closed the pipe.
 */
export class StandardOutput implements DestinationStream {
  /** Receives the number of dropped lines as soon as lines can be written again. */
  onLinesDropped: (count: number) => void = () => undefined;
  /** Reading `process.stdout` makes Node set a pipe to non-blocking, so that no write waits for the reader. */
  readonly #fileDescriptor = process.stdout.fd;
  #lines: string[] = [];
  /** The rest of earlier lines, of which a part may be written. */
  #rest = NO_BYTES;
  /** Length of `#rest` and `#lines`. */
  #length = 0;
  #state: 'idle' | 'scheduled' | 'closed' = 'idle';
  #lastWriteAt = Number.NEGATIVE_INFINITY;
  #droppedCount = 0;
  #flushCallbacks: (() => void)[] = [];

  constructor() {
    process.once('exit', () => this.#writeAtExit());
  }

  write(line: string): void {
    if (this.#state === 'closed') return;
    if (this.#length + line.length > MAX_WAITING_LENGTH) {
      this.#droppedCount++;
      return;
    }
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#state === 'idle') this.#schedule();
  }

  /** Calls `callback` when all lines are written or dropped. */
  flush(callback: () => void): void {
    if (this.#state === 'scheduled') this.#flushCallbacks.push(callback);
    else callback();
  }

  #schedule(): void {
    this.#state = 'scheduled';
    const delay = this.#lastWriteAt + WRITE_INTERVAL_MS - performance.now();
    if (delay > 0) setTimeout(() => this.#writeScheduled(), delay);
    else setImmediate(() => this.#writeScheduled());
  }

  #writeScheduled(): void {
    const failure = this.#writeWaiting();
    this.#lastWriteAt = performance.now();
    if (failure === 'EPIPE') {
      this.#state = 'closed';
      this.#lines = [];
      this.#rest = NO_BYTES;
    } else if (failure !== undefined) {
      this.#schedule();
      return;
    } else {
      this.#state = 'idle';
    }
    if (this.#droppedCount > 0) {
      const count = this.#droppedCount;
      this.#droppedCount = 0;
      this.onLinesDropped(count);
    }
    for (const callback of this.#flushCallbacks.splice(0)) callback();
  }

  /** Writes all lines that wait, and returns undefined, or the code of the error that prevents it. */
  #writeWaiting(): string | undefined {
    try {
      while (this.#length > 0) {
        if (this.#rest.length === 0) {
          this.#rest = Buffer.from(this.#lines.join(''));
          this.#lines = [];
          this.#length = this.#rest.length;
        }
        const byteCount = writeSync(this.#fileDescriptor, this.#rest);
        this.#rest = this.#rest.subarray(byteCount);
        this.#length -= byteCount;
      }
      return undefined;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    }
  }

  #writeAtExit(): void {
    if (this.#state === 'closed') return;
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    let lastLength = this.#length;
    let deadline = performance.now() + EXIT_TIMEOUT_MS;
    while (this.#writeWaiting() === 'EAGAIN' && performance.now() < deadline) {
      if (this.#length < lastLength) deadline = performance.now() + EXIT_TIMEOUT_MS;
      lastLength = this.#length;
      Atomics.wait(sleeper, 0, 0, WRITE_INTERVAL_MS);
    }
  }
}
