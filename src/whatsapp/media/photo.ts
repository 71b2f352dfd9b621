// Prepares an image for a picture message: keeps JPEG and PNG, converts other formats to JPEG, and adds size and
// thumbnail.
import type { ImageDecoder } from './image-decoder.ts';
import { imageTypeOf } from './image-type.ts';
import { mediaError } from './source.ts';

export interface Photo {
  bytes: Buffer;
  mimetype: 'image/jpeg' | 'image/png';
  /** In upright orientation, pixels. */
  width: number;
  height: number;
  /** JPEG of a few kB. */
  thumbnail: Buffer;
}

/** Uses the first frame of an animation. Throws MEDIA_INVALID for an unreadable image, and as ImageDecoder.run(). */
export async function toPhoto(decoder: ImageDecoder, owner: string, image: Buffer): Promise<Photo> {
  const result = await decoder.run(owner, 'photo', image);
  if (result.outcome !== 'done' || !result.thumbnail)
    throw mediaError('MEDIA_INVALID', 'The media is not an image that can be read');
  const { bytes, thumbnail, width, height } = result;
  const mimetype = !bytes && imageTypeOf(image) === 'png' ? 'image/png' : 'image/jpeg';
  return { bytes: bytes ? Buffer.from(bytes) : image, mimetype, width, height, thumbnail: Buffer.from(thumbnail) };
}
