// Reads text files from a package archive (.tgz) without unpacking it to disk.
import { gunzipSync } from 'node:zlib';

/** Maximum size of an unpacked archive in bytes. */
const MAX_SIZE = 256 * 1024 * 1024;
const BLOCK = 512;

/**
 * Returns the files for whose path `isWanted` is true. The paths lack the first folder (`package/`). Throws Error for
 * an invalid archive and for an archive of more than `maxSize` unpacked bytes.
 */
export function readTarball(
  archive: Uint8Array,
  isWanted: (path: string) => boolean,
  maxSize = MAX_SIZE,
): Map<string, string> {
  const bytes = gunzipSync(archive, { maxOutputLength: maxSize });
  const files = new Map<string, string>();
  for (let offset = 0; offset + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(offset, offset + BLOCK);
    const name = textOf(header, 0, 100);
    if (name === '') break;
    const size = Number.parseInt(textOf(header, 124, 12), 8);
    const content = bytes.subarray(offset + BLOCK, offset + BLOCK + size);
    if (!(size >= 0) || content.length !== size) throw new Error('the archive is damaged');
    const folder = textOf(header, 345, 155);
    const path = (folder ? `${folder}/${name}` : name).replace(/^[^/]+\//, '');
    const isFile = ['0', ''].includes(textOf(header, 156, 1));
    if (isFile && isWanted(path)) files.set(path, content.toString('utf8'));
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** Returns a field of a header: text up to the first zero byte. */
const textOf = (header: Buffer, start: number, length: number): string =>
  (header.toString('latin1', start, start + length).split('\0')[0] ?? '').trim();
