// Reads type, duration and size of a video from its boxes (ISO 14496-12), and makes a thumbnail with ffmpeg if it is
// installed. The file itself is not changed.
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { ImageDecoder } from './image-decoder.ts';
import { toPhoto } from './photo.ts';
import { mediaError } from './source.ts';
import { runLimited } from './work-limit.ts';

export interface VideoProperties {
  mimetype: 'video/mp4' | 'video/quicktime' | 'video/3gpp';
  /** Whole seconds, at least 1. */
  seconds: number;
  /** In upright orientation, pixels. */
  width: number;
  height: number;
}

export interface Video extends VideoProperties {
  /** JPEG of a few kB. */
  thumbnail?: Buffer;
}

/**
 * Reads a file of the instance `owner`. Throws MEDIA_INVALID for files that phones cannot play (other formats than MP4
 * and its relatives, sounds, truncated files) and OVERLOADED.
 */
export type ReadVideo = (owner: string, file: Buffer) => Promise<Video>;

const TIMEOUT = 20_000;
/** Each frame extraction uses a whole CPU. One instance never uses all slots. */
const FRAME_LIMITS = { slots: 3, perOwner: 2, waitingPerOwner: 200 };
/** Maximum boxes per level; a file of 16 MB could have two million. */
const MAX_BOXES = 10_000;

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
    const facts = videoPropertiesOf(file);
    if (!facts)
      throw mediaError('MEDIA_INVALID', 'The media is not an MP4 video that can be read: other kinds go as a document');
    const program = await ffmpeg();
    const frame =
      program &&
      (await runLimited(limiter, owner, () =>
        program.extractFrame(file, { timeout: TIMEOUT, signal }).catch(() => undefined),
      ));
    const picture = frame && (await toPhoto(images, owner, frame).catch(() => undefined));
    return { ...facts, ...(picture ? { thumbnail: picture.thumbnail } : {}) };
  };
}

interface Box {
  type: string;
  body: Buffer;
}

/** Yields complete boxes, at most MAX_BOXES. */
function* boxesOf(bytes: Buffer): Generator<Box> {
  let count = 0;
  for (let at = 0; at + 8 <= bytes.length && count < MAX_BOXES; count++) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= bytes.length;
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    const head = isLong ? 16 : 8;
    if (size < head || at + size > bytes.length) return;
    yield { type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + head, at + size) };
    at += size;
  }
}

/** Returns undefined for other formats. */
export function videoPropertiesOf(file: Buffer): VideoProperties | undefined {
  const boxes = new Map(Array.from(boxesOf(file), ({ type, body }) => [type, body]));
  const movie = boxes.get('moov');
  if (!movie || !boxes.has('mdat')) return undefined;
  const parts = [...boxesOf(movie)];
  const length = parts.find(({ type }) => type === 'mvhd');
  const seconds = length && durationOf(length.body);
  const size = firstSize(parts);
  if (seconds === undefined || !size) return undefined;
  return { mimetype: mimetypeOf(boxes.get('ftyp')), seconds: Math.max(1, Math.round(seconds)), ...size };
}

/** Returns the size of the first track with a picture. */
function firstSize(parts: readonly Box[]): { width: number; height: number } | undefined {
  for (const { type, body } of parts) {
    const size = type === 'trak' ? sizeOf(body) : undefined;
    if (size) return size;
  }
  return undefined;
}

function mimetypeOf(brands: Buffer | undefined): VideoProperties['mimetype'] {
  const brand = brands?.toString('latin1', 0, 4) ?? 'qt  ';
  if (brand === 'qt  ') return 'video/quicktime';
  return brand.startsWith('3g') ? 'video/3gpp' : 'video/mp4';
}

/** Reads the duration in `mvhd`, seconds. Times have 32 bits, or 64 in version 1. */
function durationOf(body: Buffer): number | undefined {
  const isLong = body[0] === 1;
  if (body.length < (isLong ? 32 : 20)) return undefined;
  const scale = body.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(body.readBigUInt64BE(24)) : body.readUInt32BE(16);
  const seconds = duration / scale;
  return Number.isFinite(seconds) && seconds < 2 ** 31 ? seconds : undefined;
}

/**
 * Reads the size in a track's `tkhd`, which ends with a matrix of nine numbers, width and height (16.16). Undefined for
 * a track without a picture.
 */
function sizeOf(track: Buffer): { width: number; height: number } | undefined {
  const head = Array.from(boxesOf(track)).find(({ type }) => type === 'tkhd')?.body;
  if (!head || head.length < 84) return undefined;
  const width = head.readUInt16BE(head.length - 8);
  const height = head.readUInt16BE(head.length - 4);
  if (width === 0 || height === 0) return undefined;
  // Cameras record portrait videos with a rotation by 90 degrees.
  const isTurned = head.readInt32BE(head.length - 44) === 0;
  return isTurned ? { width: height, height: width } : { width, height };
}
