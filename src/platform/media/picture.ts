// Any picture → what the platform shows of people and groups.

/** Longest side that the platform shows, pixels. */
const side = 640;
/** More than any camera makes; a small file may claim to unpack to far more. */
const pixelsMax = 100_000_000;

/** A square JPEG from the middle of `image`, never enlarged. Throws what `unreadable` makes of it when it is no picture. */
export async function toPicture(image: Uint8Array, unreadable: (cause: unknown) => Error): Promise<Buffer> {
  // Loaded when first needed: the library costs every start its time.
  const { default: sharp } = await import('sharp');
  try {
    const upright = sharp(image, { limitInputPixels: pixelsMax }).rotate();
    const { width, height } = await upright.metadata();
    const length = Math.min(side, width, height);
    return await upright.resize(length, length, { fit: 'cover' }).flatten({ background: '#fff' }).jpeg().toBuffer();
  } catch (cause) {
    throw unreadable(cause);
  }
}
