// A stream → its bytes, in one buffer that grows with them: a stream in tiny pieces takes no more memory than one in large pieces.
import type { Readable } from 'node:stream';

const SMALLEST = 4096;

export interface CollectOptions {
  /** Bytes; a longer stream is an error. */
  limit: number;
  /** The error for a longer stream. */
  tooLong: () => Error;
  /** Sees every piece before it is kept. An error that it returns ends the reading. */
  check?: (piece: Buffer) => Error | undefined;
}

/**
 * Reads the whole of `stream`. Calls `done` once: with the bytes, or with the error of the stream, of `check`, or of the limit. What the stream
 * brings after an error is discarded.
 */
export function collect(
  stream: Readable,
  { limit, tooLong, check }: CollectOptions,
  done: (error: Error | undefined, bytes: Buffer) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  const finish = (error?: Error) => {
    stream.off('data', take).off('end', finish).off('error', finish);
    // Without a listener the stream pauses.
    if (error) stream.resume();
    done(error, bytes.subarray(0, length));
  };
  const take = (piece: Buffer) => {
    const error = length + piece.length > limit ? tooLong() : check?.(piece);
    if (error) return finish(error);
    if (length === 0) bytes = piece;
    else {
      bytes = grown(bytes, length, length + piece.length);
      piece.copy(bytes, length);
    }
    length += piece.length;
  };
  stream.on('data', take).on('end', finish).on('error', finish);
}

/** A buffer with the first `length` bytes of `bytes` and room for `wanted`. Doubles, so that a long stream is copied few times. */
function grown(bytes: Buffer, length: number, wanted: number): Buffer {
  if (wanted <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * length, SMALLEST));
  bytes.copy(larger, 0, 0, length);
  return larger;
}
