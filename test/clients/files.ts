// The files that the client programs send. Each is as small as its format allows.
import { readFileSync } from 'node:fs';

/** A red PNG of 16 by 16 pixels. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==',
  'base64',
);

/** A WAV file of a tenth of a second. */
export const sound = wave(1600);

/** A red video of one second with 16 by 16 pixels. */
export const film = readFileSync(new URL('film.mp4', import.meta.url));

export const priceList = Buffer.from('%PDF-1.4\n% a price list\n');

/** A WAV file with `samples` of a 440 Hz tone in 16 bits, mono, 16 kHz. */
function wave(samples: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples * 2, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples * 2, 40);
  const data = Int16Array.from({ length: samples }, (_, n) => 8000 * Math.sin((2 * Math.PI * 440 * n) / 16_000));
  return Buffer.concat([header, Buffer.from(data.buffer)]);
}
