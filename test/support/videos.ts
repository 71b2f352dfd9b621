// Generates videos for tests with the ffmpeg program of the development packages.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ffmpegPath } from './sounds.ts';

/** A red video of `seconds` without sound, in the format of the extension. */
export function film(
  seconds: number,
  { width = 64, height = 48, extension = 'mp4', options = [] as string[] } = {},
): Buffer {
  const path = join(tmpdir(), `${randomUUID()}.${extension}`);
  const source = ['-f', 'lavfi', '-i', `color=c=red:s=${width}x${height}:r=5:d=${seconds}`];
  try {
    execFileSync(ffmpegPath, ['-loglevel', 'error', ...source, '-pix_fmt', 'yuv420p', ...options, path]);
    return readFileSync(path);
  } finally {
    rmSync(path, { force: true });
  }
}
