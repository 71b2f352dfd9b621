// Reads a stream into one buffer that grows as needed, so that a stream of tiny chunks takes no more memory than one of
// large chunks.
import type { Readable } from 'node:stream';

/** Minimum size in bytes of a buffer that has grown. */
const MIN_CAPACITY = 4096;

export interface CollectOptions {
  /** Maximum length, bytes. */
  limit: number;
  /** Creates the error for a longer stream. */
  toLimitError: () => Error;
  /** Called with each chunk before it is stored. A returned error ends the reading. */
  check?: (chunk: Buffer) => Error | undefined;
}

const ignoreError = () => undefined;

/**
 * Reads all of `stream`. Calls `done` once: with the bytes, or with the error of the stream, of `check` or of the
 * limit (`bytes` is then incomplete). After an error of `check` or of the limit, the rest of the stream is discarded.
 * Later errors of the stream are ignored.
 */
export function collect(
  stream: Readable,
  { limit, toLimitError, check }: CollectOptions,
  done: (error: Error | undefined, bytes: Buffer) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  stream.on('data', addChunk).on('end', finish).on('error', finish);

  function finish(error?: Error): void {
    // Without a data listener, the stream keeps flowing and discards its data. The stream can still fail, for example
    // when the client disconnects. Without an error listener, that error would be an uncaught exception.
    stream.off('data', addChunk).off('end', finish).off('error', finish).on('error', ignoreError);
    done(error, bytes.subarray(0, length));
  }
  function addChunk(chunk: Buffer): void {
    const error = length + chunk.length > limit ? toLimitError() : check?.(chunk);
    if (error) {
      finish(error);
      return;
    }
    if (length === 0) bytes = chunk;
    else {
      bytes = growBuffer(bytes, length, length + chunk.length);
      chunk.copy(bytes, length);
    }
    length += chunk.length;
  }
}

/**
 * Returns a buffer with the first `length` bytes of `bytes` and space for `needed` bytes in total. The capacity at
 * least doubles, so that bytes are rarely copied.
 */
function growBuffer(bytes: Buffer, length: number, needed: number): Buffer {
  if (needed <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * length, MIN_CAPACITY));
  bytes.copy(larger, 0, 0, length);
  return larger;
}
