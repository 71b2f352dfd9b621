// Converts an image to the profile picture of an account, group or channel.
import type { ImageDecoder } from './image-decoder.ts';

/**
 * Returns the center square of `image` as JPEG. A small image is not enlarged. `owner` is the id of the instance.
 * Throws the result of `unreadableError` for an unreadable image, and the errors of ImageDecoder.run().
 */
export async function toProfilePicture(
  decoder: ImageDecoder,
  owner: string,
  image: Uint8Array,
  unreadableError: () => Error,
): Promise<Buffer> {
  const result = await decoder.run(owner, 'picture', image);
  if (result.outcome !== 'done' || !result.bytes) throw unreadableError();
  return Buffer.from(result.bytes);
}
