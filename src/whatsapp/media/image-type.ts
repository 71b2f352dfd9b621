// Detects the format of an image by its signature. Formats that can contain code or references, like SVG and PDF, are
// deliberately unknown.

export type ImageType = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'heif';

/** Brands of HEIF files (ISO 23008-12), including AVIF. */
const HEIF_BRANDS = new Set(['avif', 'avis', 'mif1', 'mif2', 'msf1', 'heic', 'heix', 'heim', 'heis', 'hevc', 'hevx']);

const SIGNATURES: readonly [type: ImageType, matches: (head: string) => boolean][] = [
  ['jpeg', (head) => head.startsWith('\xff\xd8\xff')],
  ['png', (head) => head.startsWith('\x89PNG\r\n\x1a\n')],
  ['gif', (head) => head.startsWith('GIF87a') || head.startsWith('GIF89a')],
  ['webp', (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'],
  ['tiff', (head) => head.startsWith('II*\0') || head.startsWith('MM\0*')],
  ['heif', (head) => head.slice(4, 8) === 'ftyp' && HEIF_BRANDS.has(head.slice(8, 12))],
];

/** Returns the name that sharp has for the format of the image, or undefined for an unknown format. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return SIGNATURES.find(([, matches]) => matches(head))?.[0];
}
