// Images that attack decoders.
import { crc32, deflateSync, gzipSync } from 'node:zlib';

/** An SVG of less than 1 kB with nested groups that are drawn 9⁶ times. librsvg takes minutes to hours for it. */
export function nestedSvg(): Buffer {
  const levels = Array.from(
    { length: 6 },
    (_, level) => `<g id="a${level + 1}">${`<use href="#a${level}"/>`.repeat(9)}</g>`,
  );
  const drawing = `<g id="a0"><circle r="200" fill="none" stroke="red"/></g>${levels.join('')}`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500"><defs>${drawing}</defs><use href="#a6"/></svg>`,
  );
}

/** The SVG of nestedSvg() in forms that some decoders still recognize as SVG, by form. */
export const disguisedSvgs = (): Record<string, Buffer> => ({
  plain: nestedSvg(),
  'with a byte order mark': Buffer.concat([Buffer.from('\ufeff'), nestedSvg()]),
  'behind blanks and a comment': Buffer.concat([Buffer.from('\n\n <!-- x --><?xml version="1.0"?>'), nestedSvg()]),
  'in UTF-16': Buffer.from(`\ufeff${nestedSvg().toString()}`, 'utf16le'),
  compressed: gzipSync(nestedSvg()),
  'behind the signature of a JPEG': Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), nestedSvg()]),
  'behind the signature of a GIF': Buffer.concat([Buffer.from('GIF89a'), nestedSvg()]),
  'in a RIFF container': Buffer.concat([Buffer.from('RIFF\xff\xff\0\0WEBPVP8 ', 'latin1'), nestedSvg()]),
});

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Maximum size of the rows that hugePng() writes, in bytes before compression. */
const MAX_ROWS = 64 * 1024 * 1024;

/** A small black PNG with `width` × `height` pixels of one bit. Rows beyond MAX_ROWS bytes are missing. */
export function hugePng(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // One bit, gray.
  head.set([1, 0, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const rows = deflateSync(Buffer.alloc(Math.min((Math.ceil(width / 8) + 1) * height, MAX_ROWS)));
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

/** A GIF of one pixel with `count` frames, 25 bytes each. */
export function manyFrames(count: number): Buffer {
  const head = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\xff', 'latin1');
  const frame = Buffer.from('!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0', 'latin1');
  return Buffer.concat([head, ...Array.from({ length: count }, () => frame), Buffer.from(';')]);
}
