// Reads a stream into one buffer that grows as needed, so that a stream of tiny chunks takes no more memory than one of
// large chunks.
import type { Readable } from 'node:stream';

const MIN_CAPACITY = 4096;

export interface CollectOptions {
  /** Maximum length, bytes. */
  limit: number;
  /** Creates the error for a longer stream. */
  toLimitError: () => Error;
  /** Called with each chunk before it is stored. A returned error ends the reading. */
  check?: (piece: Buffer) => Error | undefined;
}

/**
 * Reads all of `stream`. Calls `done` once: with the bytes, or with the error of the stream, of `check` or of the
 * limit. Discards the rest of the stream after an error.
 */
export function collect(
  stream: Readable,
  { limit, toLimitError: tooLong, check }: CollectOptions,
  done: (error: Error | undefined, bytes: Buffer) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  const finish = (error?: Error) => {
    stream.off('data', take).off('end', finish).off('error', finish);
    // A stream without a listener pauses.
    if (error) stream.resume();
    done(error, bytes.subarray(0, length));
  };
  const take = (piece: Buffer) => {
    const error = length + piece.length > limit ? tooLong() : check?.(piece);
    if (error) return finish(error);
    if (length === 0) bytes = piece;
    else {
      bytes = growBuffer(bytes, length, length + piece.length);
      piece.copy(bytes, length);
    }
    length += piece.length;
  };
  stream.on('data', take).on('end', finish).on('error', finish);
}

/**
 * A buffer with the first `length` bytes of `bytes` and capacity for `needed`. Doubles the capacity, so that bytes are
 * copied few times.
 */
function growBuffer(bytes: Buffer, length: number, needed: number): Buffer {
  if (needed <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * length, MIN_CAPACITY));
  bytes.copy(larger, 0, 0, length);
  return larger;
}
