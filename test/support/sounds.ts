// Generates sounds for tests. This file writes WAV and Ogg/Opus. The ffmpeg program of the development packages
// converts WAV to other formats.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ffmpeg from '@ffmpeg-installer/ffmpeg';

/** Path of a real ffmpeg program. */
export const ffmpegPath = ffmpeg.path;

/** A WAV file with 16-bit samples. */
function wav(samples: Int16Array, rate: number, channels: number): Buffer {
  const data = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels * 2, 28);
  head.writeUInt16LE(channels * 2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** A WAV file with `seconds` of a stereo tone, which is loud in the first half. */
export function tone(seconds: number, rate = 22_050): Buffer {
  const samples = new Int16Array(seconds * rate * 2);
  for (let i = 0; i < samples.length; i++)
    samples[i] = Math.round(Math.sin(Math.floor(i / 2) / 8) * (i < samples.length / 2 ? 20_000 : 5_000));
  return wav(samples, rate, 2);
}

/** Converts `file` to the format of the extension. `options` are options of the encoder. */
export function convert(file: Buffer, extension: string, ...options: string[]): Buffer {
  const path = join(tmpdir(), `${randomUUID()}.${extension}`);
  try {
    execFileSync(ffmpegPath, ['-loglevel', 'error', '-i', '-', ...options, path], { input: file });
    return readFileSync(path);
  } finally {
    rmSync(path, { force: true });
  }
}

/** An Ogg page. Every packet must be shorter than 255 bytes. */
function page(packets: Uint8Array[], at: { granule: number; sequence: number; flags: number }): Buffer {
  const body = Buffer.concat(packets);
  const head = Buffer.alloc(27 + packets.length);
  head.write('OggS', 0);
  head.writeUInt8(at.flags, 5);
  head.writeBigInt64LE(BigInt(at.granule), 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(at.sequence, 18);
  head.writeUInt8(packets.length, 26);
  head.set(
    packets.map(({ length }) => length),
    27,
  );
  const whole = Buffer.concat([head, body]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}

function checksum(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

/** Ogg/Opus with only omitted frames: every 800 bytes are 30 s of sound. */
export function emptyOpus(seconds: number, channels = 1): Buffer {
  const mapping = channels > 2 ? [255, channels, 0, ...Array.from({ length: channels }, (_, i) => i)] : [0];
  const head = Buffer.from([...Buffer.from('OpusHead'), 1, channels, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, ...mapping]);
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  const pages = [
    page([head], { granule: 0, sequence: 0, flags: 2 }),
    page([tags], { granule: 0, sequence: 1, flags: 0 }),
  ];
  // Two frames of 60 ms without content in each packet.
  const packet = Buffer.from([(3 << 3) | 3, 2]);
  const packets = Array.from({ length: 255 }, () => packet);
  const count = Math.ceil(seconds / 30.6);
  for (let i = 1; i <= count; i++)
    pages.push(page(packets, { granule: i * 255 * 5760, sequence: i + 1, flags: i === count ? 4 : 0 }));
  return Buffer.concat(pages);
}
