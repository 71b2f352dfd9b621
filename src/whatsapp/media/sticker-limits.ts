// Limits of stickers. They have their own file because both the gateway and the image process import them, and the
// gateway must not load sharp.

/** Width and height of a sticker, pixels. */
export const STICKER_SIDE = 512;
/** Maximum size of a sticker that phones show, bytes. */
export const MAX_STICKER_BYTES = 1_000_000;
/** Maximum number of frames. A small animation can have very many frames, and encoding each of them takes time. */
export const MAX_STICKER_FRAMES = 300;
