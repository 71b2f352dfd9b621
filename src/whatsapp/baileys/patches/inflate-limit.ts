// Bounds the size of decompressed frames and history, and the number of elements in frames. Decision D-151.
// Why: Baileys inflates frames, inline history and downloaded history without a limit. A few kilobytes can fill the
//   memory of the process. An element can be as small as 3 bytes in a frame, and takes 80 bytes or more in memory.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, Node 26.
// Remove when: Baileys passes `maxOutputLength` to zlib for frames, limits the history stream, and limits the elements
//   that it decodes.
import { Inflate } from 'node:zlib';
import { TAGS } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { currentOwner } from '../../../lib/containment.ts';

/** Maximum size of one decompressed frame, bytes. The list of all groups of a large account takes several MiB. */
export const FRAME_LIMIT = 16 * 1024 * 1024;
/**
 * Maximum number of lists in one decompressed frame. Each element of a stanza is encoded as a list. The smallest
 * element of a large stanza is the member of a group, which takes at least 15 bytes: a frame of 16 MiB has at most 1.1
 * million of them.
 */
export const FRAME_LIST_LIMIT = 1_200_000;
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
/** The output of each stream so far: bytes, and lists in them. */
const outputs = new WeakMap<InflateStream, { size: number; lists: number }>();
let isInstalled = false;

/**
 * Limits decompression to the `inflateLimit` and the `listLimit` of the owner of the running work, such as a session
 * (lib/containment.ts). Destroys a stream that exceeds a limit; the stream's error is InflateLimitError. Applies to the
 * whole process. Idempotent. The replaced function is `push` of the stream, because Baileys has imported `inflate` and
 * `createInflate` of zlib already. Both functions pass every chunk of output to `push`.
 */
export function installInflateLimit(): void {
  if (isInstalled) return;
  isInstalled = true;
  prototype.push = function (chunk, encoding) {
    const { inflateLimit, listLimit = Number.POSITIVE_INFINITY } = currentOwner() ?? {};
    if (inflateLimit === undefined || !(chunk instanceof Uint8Array)) return push.call(this, chunk, encoding);
    const output = outputs.get(this) ?? { size: 0, lists: 0 };
    outputs.set(this, output);
    output.size += chunk.length;
    if (Number.isFinite(listLimit)) output.lists += countLists(chunk);
    if (output.size <= inflateLimit && output.lists <= listLimit) return push.call(this, chunk, encoding);
    const limit = output.size > inflateLimit ? `${inflateLimit} bytes` : `${listLimit} lists`;
    this.destroy(new InflateLimitError(`compressed content exceeds ${limit}`));
    return false;
  };
}

/**
 * Returns the number of lists whose first byte is in this part of a stanza. The number can be too high, because values
 * in the stanza can contain the same bytes: about one in 128 bytes of encrypted content.
 */
function countLists(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === TAGS.LIST_8 || byte === TAGS.LIST_16) count += 1;
  return count;
}
