// An image → a sticker as phones show it: WebP of 512 × 512 pixels, transparent around the image, animation kept.
import { GatewayError } from '../../errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { refuse } from './source.ts';

export interface Sticker {
  bytes: Buffer;
  isAnimated: boolean;
}

export const STICKER_SIZE = 512;
/** Pixels of all frames together: a small file can unfold into gigabytes. */
const MAX_PIXELS = 50_000_000;
/** Phones do not show larger ones. */
const MAX_BYTES = 1_000_000;
/** For one attempt, s. */
const TIMEOUT = 30;
const QUALITIES = [80, 50, 20];
/** No vector formats: they may name other files. */
const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'heif', 'tiff'];

const limiter = createLimiter(2);

/** Throws MEDIA_INVALID when `image` is no picture that can be read, MEDIA_TOO_LARGE when it makes no sticker that phones show. */
export function toSticker(image: Buffer): Promise<Sticker> {
  return limiter.run(() => convert(image));
}

const wrong = (cause?: unknown) => refuse('MEDIA_INVALID', 'The media is not an image that can be read', cause);

async function convert(image: Buffer): Promise<Sticker> {
  // Loaded when first needed: the library costs every start its time.
  const { default: sharp } = await import('sharp');
  try {
    const source = sharp(image, { animated: true, limitInputPixels: MAX_PIXELS, failOn: 'error' });
    const { format, pages = 1 } = await source.metadata();
    if (!FORMATS.includes(format)) throw wrong();
    for (const quality of QUALITIES) {
      const bytes = await source
        .clone()
        .timeout({ seconds: TIMEOUT })
        .rotate()
        .resize(STICKER_SIZE, STICKER_SIZE, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
        .webp({ quality, loop: 0 })
        .toBuffer();
      if (bytes.length <= MAX_BYTES) return { bytes, isAnimated: pages > 1 };
    }
  } catch (error) {
    throw error instanceof GatewayError ? error : wrong(error);
  }
  throw refuse('MEDIA_TOO_LARGE', `The image makes a sticker larger than ${MAX_BYTES} bytes`);
}
