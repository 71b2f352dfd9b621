// Bounds what zlib may inflate for a session: Baileys inflates frames, inline history and downloaded history without a limit.
import { Inflate } from 'node:zlib';
import { currentOwner } from '../../../lib/containment.ts';

/** Bytes that one compressed frame may grow to. The list of all groups of a large account takes several MiB. */
export const FRAME_LIMIT = 16 * 1024 * 1024;
/** Bytes that one portion of history may grow to. Phones make portions of some 10 MiB. */
export const HISTORY_LIMIT = 128 * 1024 * 1024;

/** Compressed content that exceeds its limit. */
export class InflateLimitError extends RangeError {
  override name = 'InflateLimitError';
}

/** A readable stream, of which only the way of its output matters here. */
interface Output {
  push(chunk: unknown, encoding?: BufferEncoding): boolean;
  destroy(error: Error): unknown;
}

const { prototype }: { prototype: Output } = Inflate;
const { push } = prototype;
const counts = new WeakMap<Output, number>();
let isInstalled = false;

/**
 * Bounds inflation to the `inflateLimit` of the running work's owner; a stream that exceeds it is destroyed with InflateLimitError.
 * Process-wide; call it before the first socket. Calling it again changes nothing. Baileys takes `inflate` and `createInflate` when it is
 * loaded, so neither can be replaced later; both hand every piece of output to `push` of the stream.
 */
export function installInflateLimit(): void {
  if (isInstalled) return;
  isInstalled = true;
  prototype.push = function (chunk, encoding) {
    const limit = currentOwner()?.inflateLimit;
    if (limit === undefined || !(chunk instanceof Uint8Array)) return push.call(this, chunk, encoding);
    const count = (counts.get(this) ?? 0) + chunk.length;
    counts.set(this, count);
    if (count <= limit) return push.call(this, chunk, encoding);
    this.destroy(new InflateLimitError(`compressed content exceeds ${limit} bytes`));
    return false;
  };
}
