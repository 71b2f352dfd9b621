// Any picture → what the platform shows of people and groups.
import type { ImageDecoder } from './image-decoder.ts';

/**
 * A square JPEG from the middle of `image`, never enlarged. Throws what `unreadable` makes when it is no picture, and as
 * ImageDecoder.run().
 */
export async function toPicture(
  decoder: ImageDecoder,
  owner: string,
  image: Uint8Array,
  unreadable: () => Error,
): Promise<Buffer> {
  const result = await decoder.run(owner, 'picture', image);
  if (result.outcome !== 'made' || !result.bytes) throw unreadable();
  return Buffer.from(result.bytes);
}
