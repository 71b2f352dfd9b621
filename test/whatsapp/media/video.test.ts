import { readdirSync } from 'node:fs';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFfmpegLookup, type Ffmpeg } from '../../../src/whatsapp/media/ffmpeg.ts';
import { createVideoReader, videoPropertiesOf } from '../../../src/whatsapp/media/video.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';
import { decoderForTests } from '../../support/images.ts';
import { silent } from '../../support/session-fakes.ts';
import { convert, ffmpegPath, tone } from '../../support/sounds.ts';
import { film } from '../../support/videos.ts';

let ffmpeg: Ffmpeg | undefined;
let mp4: Buffer;
beforeAll(async () => {
  ffmpeg = await createFfmpegLookup(ffmpegPath, silent)();
  mp4 = film(3);
});

const { signal } = new AbortController();
const images = decoderForTests();
const box = (type: string, body: Uint8Array) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

describe('videos', () => {
  it.each([
    ['mp4', 'video/mp4', []],
    ['mp4', 'video/mp4', ['-movflags', 'faststart']],
    ['mov', 'video/quicktime', []],
    ['3gp', 'video/3gpp', ['-c:v', 'mpeg4']],
  ])('videoPropertiesOf() reads type, duration and size of a video: %s', (extension, mimetype, options) => {
    const properties = videoPropertiesOf(film(3, { extension, options }));
    expect(properties).toEqual({ mimetype, seconds: 3, width: 64, height: 48 });
  });

  it('videoPropertiesOf() returns the upright size of a rotated video', () => {
    const rotated = film(1, { options: ['-metadata:s:v', 'rotate=90'] });
    const matrix = rotated.indexOf('tkhd') + 4 + 40;
    // The matrix of a rotation by 90 degrees starts with 0.
    rotated.writeInt32BE(0, matrix);
    expect(videoPropertiesOf(rotated)).toMatchObject({ width: 48, height: 64 });
  });

  it('the video reader adds a thumbnail only when ffmpeg is installed and succeeds', async () => {
    const folder = ownTemporaryFolder();
    const { thumbnail, ...properties } = await createVideoReader({ ffmpeg: async () => ffmpeg, images, signal })(
      'a',
      mp4,
    );
    expect(properties).toEqual({ mimetype: 'video/mp4', seconds: 3, width: 64, height: 48 });
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'jpeg', height: 75, width: 100 });
    expect(readdirSync(folder)).toEqual([]);
    expect(await createVideoReader({ ffmpeg: async () => undefined, images, signal })('a', mp4)).toEqual(properties);
    const failToStart = async () => {
      throw new Error('spawn ffmpeg ENOENT');
    };
    expect(
      await createVideoReader({
        ffmpeg: async () => ({ toVoice: failToStart, extractFrame: failToStart, toMp4: failToStart }),
        images,
        signal,
      })('a', mp4),
    ).toEqual(properties);
  });

  it('the video reader rejects videos that phones cannot play', async () => {
    const sound = convert(tone(1), 'm4a', '-c:a', 'aac');
    const others = [sound, film(1, { extension: 'mkv' }), mp4.subarray(0, mp4.length - 40), Buffer.from('hello')];
    for (const file of [...others, Buffer.alloc(0), Buffer.alloc(64)])
      await expect(createVideoReader({ ffmpeg: async () => ffmpeg, images, signal })('a', file)).rejects.toMatchObject({
        code: 'MEDIA_INVALID',
        certain: true,
      });
  });

  it('videoPropertiesOf() reads at most ten thousand boxes', () => {
    const movie = film(1);
    const propertiesBehind = (count: number) =>
      videoPropertiesOf(Buffer.concat([...Array.from({ length: count }, () => box('free', Buffer.alloc(0))), movie]));
    expect(propertiesBehind(9_000)).toMatchObject({ seconds: 1 });
    expect(propertiesBehind(10_000)).toBeUndefined();
  });

  it('videoPropertiesOf() reads at most ten thousand boxes of all levels together', () => {
    const empty = (count: number) => Buffer.concat(Array.from({ length: count }, () => box('free', Buffer.alloc(0))));
    const start = mp4.indexOf('moov') - 4;
    const movie = mp4.subarray(start + 8, start + mp4.readUInt32BE(start));
    const withTracks = (count: number, boxes: number) => {
      // Tracks without a header before the track with the picture.
      const tracks = Array.from({ length: count }, () => box('trak', empty(boxes)));
      const header = movie.subarray(0, movie.readUInt32BE(0));
      const moov = box('moov', Buffer.concat([header, ...tracks, movie.subarray(header.length)]));
      return Buffer.concat([mp4.subarray(0, start), moov]);
    };
    expect(videoPropertiesOf(withTracks(3, 3_000))).toMatchObject({ width: 64, height: 48 });
    expect(videoPropertiesOf(withTracks(4, 3_000))).toBeUndefined();
  });

  it('videoPropertiesOf() reads no boxes of a track behind its header', () => {
    const start = mp4.indexOf('trak') - 4;
    const size = mp4.readUInt32BE(start);
    const end = start + size;
    const padding = Buffer.concat(Array.from({ length: 20_000 }, () => box('free', Buffer.alloc(0))));
    const long = Buffer.concat([mp4.subarray(0, end), padding, mp4.subarray(end)]);
    const movie = long.indexOf('moov') - 4;
    for (const at of [start, movie]) long.writeUInt32BE(long.readUInt32BE(at) + padding.length, at);
    expect(videoPropertiesOf(long)).toMatchObject({ width: 64, height: 48 });
  });

  it('videoPropertiesOf() returns undefined for wrong box sizes and never throws for damaged data', () => {
    const moov = (...parts: Buffer[]) =>
      Buffer.concat([box('mdat', Buffer.alloc(4)), box('moov', Buffer.concat(parts))]);
    const head = Buffer.alloc(100);
    expect(videoPropertiesOf(moov(box('mvhd', Buffer.alloc(3))))).toBeUndefined();
    expect(videoPropertiesOf(moov(box('mvhd', head), box('trak', box('tkhd', Buffer.alloc(10)))))).toBeUndefined();
    // The time scale is 0, so the duration cannot be computed.
    expect(videoPropertiesOf(moov(box('mvhd', head), box('trak', box('tkhd', Buffer.alloc(84, 1)))))).toBeUndefined();
    for (let at = 0; at < 400; at++) {
      const damaged = Buffer.from(mp4);
      damaged.fill(0xff, mp4.indexOf('moov') - 4 + at, mp4.indexOf('moov') + at);
      expect(() => videoPropertiesOf(damaged)).not.toThrow();
    }
  });
});
