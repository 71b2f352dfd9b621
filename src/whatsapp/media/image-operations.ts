// Implements the image operations (photo, sticker, profile picture, link preview) with sharp. They run in a child
// process, image-process.ts.
import sharp, { type Metadata, type Sharp } from 'sharp';
import { MAX_STICKER_BYTES, MAX_STICKER_FRAMES, STICKER_SIDE } from './sticker-limits.ts';

/** `picture` makes a profile picture, and `preview` the image of a link preview. */
export type ImageOperation = 'photo' | 'sticker' | 'picture' | 'preview';

/**
 * `unreadable`: the image does not have the expected format. `tooLarge`: the image is readable, but the sticker would
 * exceed the limits in sticker-limits.ts.
 */
export type ImageResult = ImageSuccess | { outcome: 'unreadable' | 'tooLarge' };

interface ImageSuccess {
  outcome: 'done';
  /** The converted image. Undefined when the original is kept unchanged. */
  bytes?: Uint8Array;
  /** Only for photos. */
  thumbnail?: Uint8Array;
  /** Width of the original image in upright orientation, pixels. An animated sticker is measured without rotation. */
  width: number;
  /** Height of the original image (of one frame of an animation), like `width`. */
  height: number;
  /** True for animated stickers. */
  isAnimated: boolean;
}

/** Maximum pixels of an image, or of all frames of an animation. Without it, a small file could unpack to gigabytes. */
const MAX_PIXELS = { photo: 100_000_000, picture: 100_000_000, sticker: 50_000_000, preview: 40_000_000 } as const;
/** Maximum width and height of the thumbnail in a message, pixels. */
const THUMBNAIL_SIDE = 100;
/** Maximum width and height of profile pictures, pixels. */
const PICTURE_SIDE = 640;
/** Maximum width and height of link previews, pixels. WhatsApp's clients draw this picture beside the text. */
const PREVIEW_SIDE = 192;
/** WebP qualities, tried in this order until the sticker is small enough. */
const STICKER_QUALITIES = [80, 50, 20];
const WHITE = { background: '#ffffff' };

/** sharp's loaders for the formats of imageTypeOf(). `Nsgif` loads GIF. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`);

/**
 * Blocks all loaders except LOADERS, because the images are untrusted. Disables the cache and parallel decoding. Must
 * be called once per process.
 */
export function restrictDecoders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.cache(false);
  sharp.concurrency(1);
}

/**
 * Runs `operation` on `image`. `type` is sharp's name of the image format (imageTypeOf()). Throws the errors of sharp.
 */
export async function runOperation(operation: ImageOperation, type: string, image: Uint8Array): Promise<ImageResult> {
  const limits = { limitInputPixels: MAX_PIXELS[operation], failOn: 'error' } as const;
  const source = sharp(image, operation === 'sticker' ? { ...limits, animated: true } : limits);
  const metadata = await source.metadata();
  if (metadata.format !== type) return { outcome: 'unreadable' };
  switch (operation) {
    case 'photo':
      return toPhoto(source, metadata);
    case 'sticker':
      return toSticker(source, metadata);
    case 'picture':
      return toProfilePicture(source, metadata);
    case 'preview':
      return toLinkPreview(source, metadata);
  }
}

/** Returns the fields that the results of all operations have. */
const doneResult = ({ autoOrient: { width, height } }: Metadata) => ({
  outcome: 'done' as const,
  width,
  height,
  isAnimated: false,
});

/** Converts other formats than JPEG and PNG to JPEG, and adds a thumbnail. */
async function toPhoto(source: Sharp, metadata: Metadata): Promise<ImageResult> {
  const upright = source.autoOrient().flatten(WHITE);
  const keepsOriginal = metadata.format === 'jpeg' || metadata.format === 'png';
  const bytes = keepsOriginal ? undefined : await upright.clone().jpeg({ quality: 85 }).toBuffer();
  const size = { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside' } as const;
  const thumbnailSource = bytes ? sharp(bytes) : upright;
  const thumbnail = await thumbnailSource.resize(size).jpeg({ quality: 50 }).toBuffer();
  return { ...doneResult(metadata), thumbnail, ...(bytes ? { bytes } : {}) };
}

/**
 * Fits the image into a square with transparent borders. Lowers the quality until the sticker is small enough. The
 * orientation of an animation is ignored: sharp would rotate all frames together, as one tall image, and so reverse the
 * order of the frames or fail.
 */
async function toSticker(source: Sharp, metadata: Metadata): Promise<ImageResult> {
  // `height` is the height of all frames together, and `pageHeight` that of one frame.
  const { pages: frames = 1, width, height, pageHeight = height } = metadata;
  if (frames > MAX_STICKER_FRAMES) return { outcome: 'tooLarge' };
  const isAnimated = frames > 1;
  const image = isAnimated ? source : source.autoOrient();
  const result = { ...doneResult(metadata), ...(isAnimated ? { width, height: pageHeight, isAnimated } : {}) };
  const fit = { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  for (const quality of STICKER_QUALITIES) {
    // `loop: 0` repeats an animation without an end.
    const webp = image.clone().resize(STICKER_SIDE, STICKER_SIDE, fit).webp({ quality, loop: 0 });
    const bytes = await webp.toBuffer();
    if (bytes.length <= MAX_STICKER_BYTES) return { ...result, bytes };
  }
  return { outcome: 'tooLarge' };
}

/** Crops the image to its center square. A small image is not enlarged. */
async function toProfilePicture(source: Sharp, metadata: Metadata): Promise<ImageResult> {
  const { width, height } = metadata.autoOrient;
  const side = Math.min(PICTURE_SIDE, width, height);
  const square = source.autoOrient().resize(side, side, { fit: 'cover' });
  return { ...doneResult(metadata), bytes: await square.flatten(WHITE).jpeg().toBuffer() };
}

/** Fits the image into a square. A small image is not enlarged. */
async function toLinkPreview(source: Sharp, metadata: Metadata): Promise<ImageResult> {
  const size = { width: PREVIEW_SIDE, height: PREVIEW_SIDE, fit: 'inside', withoutEnlargement: true } as const;
  const small = source.autoOrient().resize(size).flatten(WHITE);
  return { ...doneResult(metadata), bytes: await small.jpeg({ quality: 60 }).toBuffer() };
}
