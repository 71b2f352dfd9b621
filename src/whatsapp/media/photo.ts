// An image → a picture as phones show it in a chat: JPEG and PNG as they are, every other kind as JPEG; with its size and a small preview.
import type { ImageDecoder } from './image-decoder.ts';
import { imageTypeOf } from './image-type.ts';
import { mediaError } from './source.ts';

export interface Photo {
  bytes: Buffer;
  mimetype: 'image/jpeg' | 'image/png';
  /** As it is seen, upright. */
  width: number;
  height: number;
  /** JPEG of a few kB. */
  thumbnail: Buffer;
}

/** Of an animation the first frame. Throws MEDIA_INVALID when `image` is none that can be read, and as ImageDecoder.run(). */
export async function toPhoto(decoder: ImageDecoder, owner: string, image: Buffer): Promise<Photo> {
  const result = await decoder.run(owner, 'photo', image);
  if (result.outcome !== 'made' || !result.thumbnail)
    throw mediaError('MEDIA_INVALID', 'The media is not an image that can be read');
  const { bytes, thumbnail, width, height } = result;
  const mimetype = !bytes && imageTypeOf(image) === 'png' ? 'image/png' : 'image/jpeg';
  return { bytes: bytes ? Buffer.from(bytes) : image, mimetype, width, height, thumbnail: Buffer.from(thumbnail) };
}
