// An image → a picture as phones show it in a chat: JPEG and PNG as they are, every other kind as JPEG; with its size and a small preview.
import { createLimiter } from '../../lib/limiter.ts';
import { refuse } from './source.ts';

export interface Photo {
  bytes: Buffer;
  mimetype: 'image/jpeg' | 'image/png';
  /** As it is seen, upright. */
  width: number;
  height: number;
  /** JPEG of a few kB. */
  thumbnail: Buffer;
}

/** Pixels: a small file can unfold into gigabytes. */
const MAX_PIXELS = 100_000_000;
/** Longest side of a preview. */
const PREVIEW = 100;
const PREVIEW_QUALITY = 50;
const QUALITY = 85;
/** For one step, s. */
const TIMEOUT = 30;
const kept: Readonly<Record<string, Photo['mimetype']>> = { jpeg: 'image/jpeg', png: 'image/png' };
/** No vector formats: they may name other files. */
const FORMATS = [...Object.keys(kept), 'webp', 'gif', 'heif', 'tiff'];

const limiter = createLimiter(2);

/** Of an animation the first frame. Throws MEDIA_INVALID when `image` is none that can be read. */
export async function toPhoto(image: Buffer): Promise<Photo> {
  const picture = await limiter.run(() => read(image));
  if (!picture) throw refuse('MEDIA_INVALID', 'The media is not an image that can be read');
  return picture;
}

/** Undefined when the image cannot be read. */
async function read(image: Buffer): Promise<Photo | undefined> {
  // Loaded when first needed: the library costs every start its time.
  const { default: sharp } = await import('sharp');
  const open = (bytes: Buffer) =>
    sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .timeout({ seconds: TIMEOUT })
      .autoOrient()
      .flatten({ background: '#ffffff' });
  try {
    const { format, autoOrient } = await sharp(image, { limitInputPixels: MAX_PIXELS }).metadata();
    if (!FORMATS.includes(format)) return undefined;
    const mimetype = kept[format];
    const bytes = mimetype ? image : await open(image).jpeg({ quality: QUALITY }).toBuffer();
    const small = { width: PREVIEW, height: PREVIEW, fit: 'inside' } as const;
    const thumbnail = await open(bytes).resize(small).jpeg({ quality: PREVIEW_QUALITY }).toBuffer();
    return { bytes, mimetype: mimetype ?? 'image/jpeg', thumbnail, ...autoOrient };
  } catch {
    return undefined;
  }
}
