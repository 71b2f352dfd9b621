import { describe, expect, it } from 'vitest';
import { decodeSound } from '../../../src/whatsapp/media/pcm.ts';
import { soundTypeOf } from '../../../src/whatsapp/media/sound-type.ts';
import { convert, emptyOpus, tone } from '../../support/sounds.ts';

/**
 * Returns the duration of all pieces, the duration of the longest piece and the loudest sample. Returns undefined when
 * there are no pieces.
 */
async function measure(file: Uint8Array) {
  let measured: { seconds: number; loudest: number; longest: number } | undefined;
  for await (const { samples, rate } of decodeSound(file)) {
    measured ??= { seconds: 0, loudest: 0, longest: 0 };
    measured.seconds += samples.length / rate;
    measured.loudest = samples.reduce((maximum, level) => Math.max(maximum, level), measured.loudest);
    measured.longest = Math.max(measured.longest, samples.length / rate);
  }
  return measured;
}

const pcm = (kind: number, bits: number, data: Buffer, channels = 1) => {
  const file = tone(1).subarray(0, 44);
  file.writeUInt16LE(kind, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(1000, 24);
  file.writeUInt16LE(bits, 34);
  file.writeUInt32LE(data.length, 40);
  return Buffer.concat([file, data]);
};

describe('decodeSound', () => {
  it.each([
    ['mp3', []],
    ['ogg', ['-c:a', 'libopus']],
    ['wav', []],
    ['wav', ['-c:a', 'pcm_s24le']],
    ['wav', ['-c:a', 'pcm_f32le']],
    ['wav', ['-c:a', 'pcm_u8']],
  ])('decodeSound() decodes %s %j with its duration and level', async (extension, options) => {
    const measured = await measure(convert(tone(2), extension, ...options));
    expect(measured?.seconds).toBeCloseTo(2, 0);
    expect(measured?.loudest).toBeGreaterThan(0.5);
    expect(measured?.loudest).toBeLessThan(0.75);
  });

  it.each([
    ['m4a', [], 'audio/mp4'],
    ['webm', [], 'audio/webm'],
    ['flac', [], 'audio/flac'],
    ['aac', [], 'audio/aac'],
    ['ogg', ['-c:a', 'libvorbis'], 'audio/ogg'],
    ['amr', ['-ar', '8000', '-ac', '1'], 'audio/amr'],
  ])('soundTypeOf() recognizes %s %j, which decodeSound() does not decode', async (extension, options, type) => {
    const file = convert(tone(1), extension, ...options);
    expect(soundTypeOf(file)).toBe(type);
    expect(await measure(file)).toBeUndefined();
  });

  it('decodeSound() mixes two channels to their mean', async () => {
    const stereo = Buffer.from(new Int16Array([16384, 0, -16384, 0]).buffer);
    const [piece] = [...(decodeSound(pcm(1, 16, stereo, 2)) as Iterable<{ samples: Float32Array }>)];
    expect([...(piece?.samples ?? [])]).toEqual([0.25, -0.25]);
  });

  it.each([
    ['no samples', pcm(1, 16, Buffer.alloc(0))],
    ['12 bits', pcm(1, 12, Buffer.alloc(100))],
    ['compressed samples', pcm(85, 16, Buffer.alloc(100))],
    ['no channels', pcm(1, 16, Buffer.alloc(100), 0)],
    ['only a header', tone(1).subarray(0, 30)],
  ])('decodeSound() does not decode a WAV file with %s', async (_, file) => {
    expect(await measure(file)).toBeUndefined();
  });

  it('decodeSound() yields pieces of about a minute for a small file with five minutes of sound', async () => {
    const file = emptyOpus(300);
    expect(file.length).toBeLessThan(10_000);
    const measured = await measure(file);
    expect(measured?.seconds).toBeCloseTo(306, 0);
    expect(measured?.longest).toBeLessThan(62);
  });

  it('decodeSound() does not decode a file in which any stream has hundreds of channels', async () => {
    expect(await measure(emptyOpus(31, 200))).toBeUndefined();
    expect(await measure(Buffer.concat([emptyOpus(31), emptyOpus(31, 200)]))).toBeUndefined();
  });
});

describe('files that are not sounds', () => {
  it.each([
    ['hello, world'],
    [''],
    ['OggS'],
    ['<html><body>'],
  ])('decodeSound() does not decode a file with the content %j', async (text) => {
    expect([undefined, 'audio/ogg']).toContain(soundTypeOf(Buffer.from(text)));
    expect(await measure(Buffer.from(text))).toBeUndefined();
  });
});
