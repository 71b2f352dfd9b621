// Bounds the size of decompressed frames and history. Decision D-151.
// Why: Baileys inflates frames, inline history and downloaded history without a limit. A few kilobytes can fill the
//   memory of the process.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, Node 26.
// Remove when: Baileys passes `maxOutputLength` to zlib for frames and limits the history stream.
import { Inflate } from 'node:zlib';
import { currentOwner } from '../../../lib/containment.ts';

/** Maximum size of one decompressed frame, bytes. The list of all groups of a large account takes several MiB. */
export const FRAME_LIMIT = 16 * 1024 * 1024;
/** Maximum size of one decompressed chunk of history, bytes. Phones send chunks of about 10 MiB. */
export const HISTORY_LIMIT = 128 * 1024 * 1024;

/** Decompressed content exceeds its limit. */
export class InflateLimitError extends RangeError {
  override name = 'InflateLimitError';
}

/** The members of a zlib stream that this patch uses. */
interface InflateStream {
  push(chunk: unknown, encoding?: BufferEncoding): boolean;
  destroy(error: Error): unknown;
}

const { prototype }: { prototype: InflateStream } = Inflate;
const { push } = prototype;
/** Bytes that each stream has produced. */
const outputSizes = new WeakMap<InflateStream, number>();
let isInstalled = false;

/**
 * Limits decompression to the `inflateLimit` of the owner of the running work (lib/containment.ts). Destroys a stream
 * that exceeds this limit; the stream's error is InflateLimitError. Applies to the whole process. Idempotent. The
 * replaced function is `push`, because Baileys imports `inflate` and `createInflate` when it is loaded, and both pass
 * every chunk of output to `push` of the stream.
 */
export function installInflateLimit(): void {
  if (isInstalled) return;
  isInstalled = true;
  prototype.push = function (chunk, encoding) {
    const limit = currentOwner()?.inflateLimit;
    if (limit === undefined || !(chunk instanceof Uint8Array)) return push.call(this, chunk, encoding);
    const size = (outputSizes.get(this) ?? 0) + chunk.length;
    outputSizes.set(this, size);
    if (size <= limit) return push.call(this, chunk, encoding);
    this.destroy(new InflateLimitError(`compressed content exceeds ${limit} bytes`));
    return false;
  };
}
