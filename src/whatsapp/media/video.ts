// Reads type, duration and dimensions of a video from its boxes, the data structures of MP4 files (ISO 14496-12). Makes
// a thumbnail if ffmpeg is installed. The video itself is not changed. Decision D-086.
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { ImageDecoder } from './image-decoder.ts';
import { toPhoto } from './photo.ts';
import { mediaError } from './source.ts';
import { runLimited } from './work-limit.ts';

export interface VideoProperties {
  mimetype: 'video/mp4' | 'video/quicktime' | 'video/3gpp';
  /** Duration in whole seconds, at least 1. */
  seconds: number;
  /** Width in upright orientation, pixels. */
  width: number;
  /** Height in upright orientation, pixels. */
  height: number;
}

export interface Video extends VideoProperties {
  /** JPEG of a few kB. */
  thumbnail?: Buffer;
}

/**
 * Reads a video of the instance `owner`. Throws MEDIA_INVALID for files that phones cannot play (formats other than
 * MP4, QuickTime and 3GPP; files without a picture; truncated files), and OVERLOADED.
 */
export type ReadVideo = (owner: string, file: Buffer) => Promise<Video>;

/** Timeout for extracting a frame with ffmpeg. */
const TIMEOUT_MS = 20_000;
/** Limits of concurrent frame extractions, each of which uses one CPU core. One instance never uses all slots. */
const FRAME_LIMITS = { slots: 3, perOwner: 2, waitingPerOwner: 200 };
/** Maximum number of boxes that are read of one file. A file of 16 MB could have two million boxes. */
const MAX_BOXES = 10_000;

/** Creates the reader. `ffmpeg` resolves with undefined when ffmpeg is missing. `signal` aborts frame extractions. */
export function createVideoReader({
  ffmpeg,
  images,
  signal,
}: {
  ffmpeg: () => Promise<Ffmpeg | undefined>;
  images: ImageDecoder;
  signal: AbortSignal;
}): ReadVideo {
  const limiter = createFairLimiter(FRAME_LIMITS);
  return async (owner, file) => {
    const properties = videoPropertiesOf(file);
    if (!properties)
      throw mediaError('MEDIA_INVALID', 'The media is not an MP4 video that can be read: other kinds go as a document');
    const program = await ffmpeg();
    if (!program) return properties;
    // A video without a thumbnail can be sent too, so errors are ignored.
    const frame = await runLimited(limiter, owner, () =>
      program.extractFrame(file, { timeout: TIMEOUT_MS, signal }).catch(() => undefined),
    );
    const photo = frame && (await toPhoto(images, owner, frame).catch(() => undefined));
    return { ...properties, ...(photo ? { thumbnail: photo.thumbnail } : {}) };
  };
}

interface Box {
  type: string;
  body: Buffer;
}

type Size = Pick<VideoProperties, 'width' | 'height'>;

/** The number of boxes of a file that can still be read, on all levels together. */
interface BoxBudget {
  remaining: number;
}

/** Yields the boxes of one level, up to the first truncated box or the end of the budget. */
function* boxesOf(bytes: Buffer, budget: BoxBudget): Generator<Box> {
  for (let at = 0; at + 8 <= bytes.length && budget.remaining > 0; budget.remaining--) {
    // A size of 1 means that a 64-bit size follows, and 0 means that the box extends to the end.
    const size32 = bytes.readUInt32BE(at);
    const isLong = size32 === 1 && at + 16 <= bytes.length;
    let size = size32;
    if (isLong) size = Number(bytes.readBigUInt64BE(at + 8));
    else if (size32 === 0) size = bytes.length - at;
    const headerSize = isLong ? 16 : 8;
    if (size < headerSize || at + size > bytes.length) return;
    yield { type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + headerSize, at + size) };
    at += size;
  }
}

/** Reads the properties of a video. Returns undefined for other formats and for incomplete files. */
export function videoPropertiesOf(file: Buffer): VideoProperties | undefined {
  const budget: BoxBudget = { remaining: MAX_BOXES };
  const boxes = new Map<string, Buffer>();
  for (const { type, body } of boxesOf(file, budget)) {
    boxes.set(type, body);
    if (boxes.has('moov') && boxes.has('mdat')) break;
  }
  const movie = boxes.get('moov');
  if (!movie || !boxes.has('mdat')) return undefined;
  let seconds: number | undefined;
  let size: Size | undefined;
  for (const { type, body } of boxesOf(movie, budget)) {
    if (type === 'mvhd') seconds ??= durationOf(body);
    // The size of the first track with a picture.
    if (type === 'trak') size ??= sizeOf(body, budget);
    if (seconds !== undefined && size) break;
  }
  if (seconds === undefined || !size) return undefined;
  return { mimetype: mimetypeOf(boxes.get('ftyp')), seconds: Math.max(1, Math.round(seconds)), ...size };
}

/** Returns the body of the first box of a type. Reads no boxes behind it. */
function firstBody(boxes: Iterable<Box>, wanted: string): Buffer | undefined {
  for (const { type, body } of boxes) if (type === wanted) return body;
  return undefined;
}

/** Returns the MIME type for the body of the `ftyp` box. QuickTime files can lack this box. */
function mimetypeOf(fileType: Buffer | undefined): VideoProperties['mimetype'] {
  const brand = fileType?.toString('latin1', 0, 4) ?? 'qt  ';
  if (brand === 'qt  ') return 'video/quicktime';
  return brand.startsWith('3g') ? 'video/3gpp' : 'video/mp4';
}

/**
 * Reads the duration in an `mvhd` box, in seconds. The box starts with the version and flags (4 bytes), two times, the
 * number of units per second (4 bytes) and the duration in units. Times and duration have 64 bits in version 1, else 32
 * bits. Returns undefined for a truncated box or an implausible duration.
 */
function durationOf(body: Buffer): number | undefined {
  const isLong = body[0] === 1;
  if (body.length < (isLong ? 32 : 20)) return undefined;
  const unitsPerSecond = body.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(body.readBigUInt64BE(24)) : body.readUInt32BE(16);
  const seconds = duration / unitsPerSecond;
  return Number.isFinite(seconds) && seconds < 2 ** 31 ? seconds : undefined;
}

/**
 * Reads the upright dimensions of a track from its `tkhd` box, which has at least 84 bytes. The box ends with a
 * transformation matrix (36 bytes), the width and the height (4 bytes each). The upper 16 bits of width and height are
 * whole pixels. Returns undefined for a track without a picture.
 */
function sizeOf(track: Buffer, budget: BoxBudget): Size | undefined {
  const trackHeader = firstBody(boxesOf(track, budget), 'tkhd');
  if (!trackHeader || trackHeader.length < 84) return undefined;
  const width = trackHeader.readUInt16BE(trackHeader.length - 8);
  const height = trackHeader.readUInt16BE(trackHeader.length - 4);
  if (width === 0 || height === 0) return undefined;
  // Cameras record portrait videos rotated by 90 degrees. The first number of the matrix is then 0.
  const isRotated = trackHeader.readInt32BE(trackHeader.length - 44) === 0;
  return isRotated ? { width: height, height: width } : { width, height };
}
