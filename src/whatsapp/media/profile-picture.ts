// Converts an image to a profile picture of an account, group or channel.
import type { ImageDecoder } from './image-decoder.ts';

/**
 * Returns the center square of `image` as JPEG, not enlarged. Throws `unreadable()` for an unreadable image, and as
 * ImageDecoder.run().
 */
export async function toProfilePicture(
  decoder: ImageDecoder,
  owner: string,
  image: Uint8Array,
  unreadable: () => Error,
): Promise<Buffer> {
  const result = await decoder.run(owner, 'picture', image);
  if (result.outcome !== 'done' || !result.bytes) throw unreadable();
  return Buffer.from(result.bytes);
}
