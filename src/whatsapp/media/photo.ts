// Prepares an image for an image message: keeps JPEG and PNG, converts other formats to JPEG, and adds dimensions and a
// thumbnail. Decision D-086.
import type { ImageDecoder } from './image-decoder.ts';
import { imageTypeOf } from './image-type.ts';
import { mediaError } from './source.ts';

export interface Photo {
  bytes: Buffer;
  mimetype: 'image/jpeg' | 'image/png';
  /** Width in upright orientation, pixels. */
  width: number;
  /** Height in upright orientation, pixels. */
  height: number;
  /** JPEG of a few kB. */
  thumbnail: Buffer;
}

/**
 * Converts an image of the instance `owner`. Uses only the first frame of an animation. Throws MEDIA_INVALID for an
 * unreadable image, and the errors of ImageDecoder.run().
 */
export async function toPhoto(decoder: ImageDecoder, owner: string, image: Buffer): Promise<Photo> {
  const result = await decoder.run(owner, 'photo', image);
  if (result.outcome !== 'done' || !result.thumbnail)
    throw mediaError('MEDIA_INVALID', 'The media is not an image that can be read');
  // `bytes` is undefined when the image is kept.
  const { bytes, thumbnail, width, height } = result;
  const mimetype = !bytes && imageTypeOf(image) === 'png' ? 'image/png' : 'image/jpeg';
  return { bytes: bytes ? Buffer.from(bytes) : image, mimetype, width, height, thumbnail: Buffer.from(thumbnail) };
}
