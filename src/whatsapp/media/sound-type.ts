// Detects the type of sound files by their first bytes.
import { imageTypeOf } from './image-type.ts';

/** The MIME type of voice notes. */
export const OPUS = 'audio/ogg; codecs=opus';

const SIGNATURES: readonly [mimetype: string, matches: (head: string) => boolean][] = [
  [OPUS, (head) => head.startsWith('OggS') && head.slice(28, 36) === 'OpusHead'],
  ['audio/ogg', (head) => head.startsWith('OggS')],
  ['audio/wav', (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WAVE'],
  ['audio/flac', (head) => head.startsWith('fLaC')],
  ['audio/amr', (head) => head.startsWith('#!AMR')],
  ['audio/mp4', (head) => head.slice(4, 8) === 'ftyp'],
  ['audio/webm', (head) => head.startsWith('\x1aE\xdf\xa3')],
  ['audio/aac', (head) => /^\xff[\xf0\xf1\xf8\xf9]/.test(head)],
  ['audio/mpeg', (head) => head.startsWith('ID3') || /^\xff[\xe2-\xff]/.test(head)],
];

/** The types whose files can also contain a video without sound. */
export const VIDEO_CONTAINERS: readonly string[] = ['audio/mp4', 'audio/webm'];

/** Detects the MIME type of a sound file. Returns undefined for a type that phones cannot play. */
export function soundTypeOf(bytes: Uint8Array): string | undefined {
  // HEIF pictures begin like MP4 files.
  if (imageTypeOf(bytes) !== undefined) return undefined;
  const head = Buffer.from(bytes.subarray(0, 36)).toString('latin1');
  return SIGNATURES.find(([, matches]) => matches(head))?.[0];
}
