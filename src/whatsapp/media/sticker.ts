// Converts an image to a sticker: a WebP image of 512 × 512 pixels with transparent borders. Animations are kept.
import type { ImageDecoder } from './image-decoder.ts';
import { mediaError } from './source.ts';
import { MAX_STICKER_BYTES, MAX_STICKER_FRAMES } from './sticker-limits.ts';

export interface Sticker {
  bytes: Buffer;
  isAnimated: boolean;
}

/**
 * Converts an image of the instance `owner`. Throws MEDIA_INVALID for an unreadable image, MEDIA_TOO_LARGE when the
 * sticker would exceed a limit of sticker-limits.ts, and the errors of ImageDecoder.run().
 */
export async function toSticker(decoder: ImageDecoder, owner: string, image: Buffer): Promise<Sticker> {
  const result = await decoder.run(owner, 'sticker', image);
  // `tooLarge` means that the sticker would be too large. The image itself can be small.
  if (result.outcome === 'tooLarge')
    throw mediaError(
      'MEDIA_TOO_LARGE',
      `The image makes a sticker larger than ${MAX_STICKER_BYTES} bytes or of more than ${MAX_STICKER_FRAMES} frames`,
    );
  if (result.outcome !== 'done' || !result.bytes)
    throw mediaError('MEDIA_INVALID', 'The media is not an image that can be read');
  return { bytes: Buffer.from(result.bytes), isAnimated: result.isAnimated };
}
