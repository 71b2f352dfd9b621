// Limits of stickers. They are in a file of their own because both the gateway and the image process import them.

/** Width and height, pixels. */
export const STICKER_SIDE = 512;
/** Largest sticker that phones show, bytes. */
export const MAX_STICKER_BYTES = 1_000_000;
/** Frames of an animated sticker. Each frame is encoded in full, however small it is in the source. */
export const MAX_STICKER_FRAMES = 300;
