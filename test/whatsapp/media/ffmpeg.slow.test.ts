import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFfmpegLookup } from '../../../src/whatsapp/media/ffmpeg.ts';
import { soundTypeOf } from '../../../src/whatsapp/media/sound-type.ts';
import { emptyFolder } from '../../support/folder.ts';
import { readableLog, silent } from '../../support/session-fakes.ts';
import { ffmpegPath, tone } from '../../support/sounds.ts';
import { film } from '../../support/videos.ts';

const LIMITS = { timeout: 60_000 };

/** Writes a program that can encode Opus, like ffmpeg, and runs `lines` for all other calls. Returns its path. */
function fakeFfmpeg(...lines: string[]): string {
  const path = join(emptyFolder(), 'ffmpeg');
  const probe = 'case "$*" in *-encoders) echo libopus; exit;; esac';
  writeFileSync(path, `${['#!/bin/sh', probe, ...lines].join('\n')}\n`, { mode: 0o755 });
  return path;
}

/**
 * Creates a file with one short sound and with `pictures` as further tracks. The extension of `name` selects the
 * format.
 */
function soundWith(name: string, pictures: readonly Buffer[], ...options: string[]): Buffer {
  const folder = emptyFolder();
  const sources = [tone(1), ...pictures].map((bytes, index) => {
    const path = join(folder, `source-${index}`);
    writeFileSync(path, bytes);
    return path;
  });
  const path = join(folder, name);
  const inputs = sources.flatMap((source) => ['-i', source]);
  const maps = sources.flatMap((_, index) => ['-map', String(index)]);
  execFileSync(ffmpegPath, ['-loglevel', 'error', ...inputs, ...maps, '-c:v', 'copy', ...options, path]);
  return readFileSync(path);
}

/** Two frames of 17 million pixels in 50 kB. */
const hugeFilm = () => film(1, { width: 4096, height: 4096, options: ['-r', '2', '-preset', 'ultrafast'] });

describe('createFfmpegLookup', () => {
  /** Writes a program whose check runs `line`, and succeeds after a call of `repair`. */
  function brokenFfmpeg(line: string) {
    const path = join(emptyFolder(), 'ffmpeg');
    const write = (text: string) => writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    write(line);
    return { path, repair: () => write('echo libopus') };
  }

  it.each([
    ['exits with an error', 'exit 1'],
    ['is killed', 'kill -s KILL $$'],
  ])('createFfmpegLookup() checks ffmpeg again at the next use when the check %s', async (_, line) => {
    const { path, repair } = brokenFfmpeg(line);
    const { log, lines } = readableLog();
    const lookup = createFfmpegLookup(path, log);
    expect(await Promise.all([lookup(), lookup()])).toEqual([undefined, undefined]);
    expect(await lookup()).toBeUndefined();
    repair();
    expect(await lookup()).toBeDefined();
    expect(await lookup()).toBeDefined();
    expect(lines.map(({ msg }) => msg)).toEqual(['ffmpeg.check.failed', 'ffmpeg.check.failed', 'ffmpeg.found']);
  });

  it('createFfmpegLookup() remembers that ffmpeg is not installed or cannot encode Opus', async () => {
    const missing = join(emptyFolder(), 'ffmpeg');
    const { path: incapable, repair } = brokenFfmpeg('echo libvorbis');
    for (const path of [missing, incapable]) {
      const { log, lines } = readableLog();
      const lookup = createFfmpegLookup(path, log);
      expect(await lookup()).toBeUndefined();
      if (path === incapable) repair();
      else writeFileSync(path, '#!/bin/sh\necho libopus\n', { mode: 0o755 });
      expect(await lookup()).toBeUndefined();
      expect(lines).toHaveLength(1);
    }
  });
});

describe('Ffmpeg', () => {
  it('Ffmpeg reads the sound of a file with large video tracks in 150 MiB', async () => {
    const picture = hugeFilm();
    const file = soundWith(
      'sound.mp4',
      Array.from({ length: 12 }, () => picture),
    );
    expect(file.length).toBeLessThan(2_000_000);
    const ffmpeg = await createFfmpegLookup(ffmpegPath, silent, '', 150 * 2 ** 20)();
    expect(await ffmpeg?.toMp4(file, LIMITS)).toBeInstanceOf(Buffer);
    expect(await ffmpeg?.toVoice(file, { encode: true, maxSeconds: 60, ...LIMITS })).toBeDefined();
  });

  it('Ffmpeg.toMp4() returns undefined for a file with more than 16 tracks', async () => {
    const picture = film(1);
    const withTracks = (count: number) =>
      soundWith(
        'sound.mp4',
        Array.from({ length: count - 1 }, () => picture),
      );
    const ffmpeg = await createFfmpegLookup(ffmpegPath, silent)();
    expect(await ffmpeg?.toMp4(withTracks(16), LIMITS)).toBeInstanceOf(Buffer);
    expect(await ffmpeg?.toMp4(withTracks(17), LIMITS)).toBeUndefined();
  });

  it.each([
    'm4a',
    'mp3',
    'flac',
  ])('Ffmpeg converts the sound of %s files with small and with large cover art', async (extension) => {
    const ffmpeg = await createFfmpegLookup(ffmpegPath, silent)();
    for (const size of [600, 3000]) {
      const cover = film(1, { width: size, height: size, extension: 'png', options: ['-frames:v', '1'] });
      const file = soundWith(`sound.${extension}`, [cover], '-disposition:v:0', 'attached_pic');
      const voice = await ffmpeg?.toVoice(file, { encode: true, maxSeconds: 60, ...LIMITS });
      expect(voice?.seconds).toBeCloseTo(1, 0);
      expect(soundTypeOf(voice?.bytes ?? Buffer.alloc(0))).toBe('audio/ogg; codecs=opus');
      expect(await ffmpeg?.toMp4(file, LIMITS)).toBeInstanceOf(Buffer);
    }
  });

  it('Ffmpeg reads the sound and the frame of a 4K video', async () => {
    const file = soundWith('video.mp4', [film(1, { width: 3840, height: 2160 })]);
    const ffmpeg = await createFfmpegLookup(ffmpegPath, silent)();
    expect(await ffmpeg?.toMp4(file, LIMITS)).toBeInstanceOf(Buffer);
    expect(await ffmpeg?.extractFrame(file, LIMITS)).toBeInstanceOf(Buffer);
  });

  it('Ffmpeg kills a process that exceeds the memory limit, and logs it', async () => {
    const { log, lines } = readableLog();
    // `tail` keeps the last line in memory, and this line does not end.
    const path = fakeFfmpeg('ulimit -v 1000000', 'exec tail -n 1 /dev/zero');
    const ffmpeg = await createFfmpegLookup(path, log, process.env.PATH, 32 * 2 ** 20)();
    expect(await ffmpeg?.extractFrame(tone(1), LIMITS)).toBeUndefined();
    expect(lines.slice(1)).toEqual([
      expect.objectContaining({ msg: 'ffmpeg.failed', reason: 'memory', signal: 'SIGKILL' }),
    ]);
  });

  it('Ffmpeg sets the highest OOM score for its process, so that the kernel kills it first', async () => {
    const path = fakeFfmpeg('until grep -qx 1000 /proc/$$/oom_score_adj; do :; done', 'echo raised');
    const ffmpeg = await createFfmpegLookup(path, silent, process.env.PATH)();
    expect(String(await ffmpeg?.toMp4(tone(1), LIMITS))).toBe('raised\n');
  });
});
