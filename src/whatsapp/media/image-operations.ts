// Image operations that run in the image process: photo, sticker, profile picture, link preview.
import sharp, { type Metadata, type Sharp } from 'sharp';
import { STICKER_BYTES, STICKER_FRAMES, STICKER_SIZE } from './sticker-limits.ts';

export type ImageOperation = 'photo' | 'sticker' | 'picture' | 'preview';

/** Result of an operation. `tooLarge`: the image is readable, but the result exceeds what phones show. */
export type ImageResult =
  | { outcome: 'made'; bytes?: Uint8Array; thumbnail?: Uint8Array; width: number; height: number; isAnimated: boolean }
  | { outcome: 'unreadable' | 'tooLarge' };

/** Maximum pixels of an image, or of all frames of an animation: a small file can unpack to gigabytes. */
const MAX_PIXELS = { photo: 100_000_000, picture: 100_000_000, sticker: 50_000_000, preview: 40_000_000 } as const;
/** Longest side of the thumbnail in a message, pixels. */
const THUMBNAIL_SIDE = 100;
/** Side of profile pictures, pixels. */
const PICTURE_SIDE = 640;
/** Width of link previews, pixels. */
const PREVIEW_WIDTH = 192;
const STICKER_QUALITIES = [80, 50, 20];
const WHITE = { background: '#ffffff' };

/** Loaders of the formats of imageTypeOf(). All other loaders are blocked, because the images are untrusted. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`);

/** Blocks all other loaders and disables the cache. Call it once per process. */
export function restrictDecoders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.cache(false);
  sharp.concurrency(1);
}

/** Runs `operation` on `image`, whose signature is `type`. Throws as sharp. */
export async function operate(operation: ImageOperation, type: string, image: Uint8Array): Promise<ImageResult> {
  const limits = { limitInputPixels: MAX_PIXELS[operation], failOn: 'error' } as const;
  const source = sharp(image, operation === 'sticker' ? { ...limits, animated: true } : limits);
  const facts = await source.metadata();
  if (facts.format !== type) return { outcome: 'unreadable' };
  switch (operation) {
    case 'photo':
      return photo(source, facts);
    case 'sticker':
      return sticker(source, facts);
    case 'picture':
      return picture(source, facts);
    case 'preview':
      return preview(source, facts);
  }
}

const made = ({ autoOrient: { width, height } }: Metadata) => ({
  outcome: 'made' as const,
  width,
  height,
  isAnimated: false,
});

/** Keeps JPEG and PNG and makes only a thumbnail of them. */
async function photo(source: Sharp, facts: Metadata): Promise<ImageResult> {
  const upright = source.autoOrient().flatten(WHITE);
  const isKept = facts.format === 'jpeg' || facts.format === 'png';
  const bytes = isKept ? undefined : await upright.clone().jpeg({ quality: 85 }).toBuffer();
  const size = { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside' } as const;
  const shown = bytes ? sharp(bytes) : upright;
  const thumbnail = await shown.resize(size).jpeg({ quality: 50 }).toBuffer();
  return { ...made(facts), thumbnail, ...(bytes ? { bytes } : {}) };
}

async function sticker(source: Sharp, facts: Metadata): Promise<ImageResult> {
  const { pages = 1 } = facts;
  if (pages > STICKER_FRAMES) return { outcome: 'tooLarge' };
  const fit = { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  for (const quality of STICKER_QUALITIES) {
    const webp = source.clone().rotate().resize(STICKER_SIZE, STICKER_SIZE, fit).webp({ quality, loop: 0 });
    const bytes = await webp.toBuffer();
    if (bytes.length <= STICKER_BYTES) return { ...made(facts), bytes, isAnimated: pages > 1 };
  }
  return { outcome: 'tooLarge' };
}

/** Crops the center square, without enlarging it. */
async function picture(source: Sharp, facts: Metadata): Promise<ImageResult> {
  const { width, height } = facts.autoOrient;
  const side = Math.min(PICTURE_SIDE, width, height);
  const square = source.autoOrient().resize(side, side, { fit: 'cover' });
  return { ...made(facts), bytes: await square.flatten(WHITE).jpeg().toBuffer() };
}

async function preview(source: Sharp, facts: Metadata): Promise<ImageResult> {
  const small = source.autoOrient().resize(PREVIEW_WIDTH).flatten(WHITE);
  return { ...made(facts), bytes: await small.jpeg({ quality: 60 }).toBuffer() };
}
