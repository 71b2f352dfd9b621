import { describe, expect, it } from 'vitest';
import { decodeSound } from '../../../src/whatsapp/media/pcm.ts';
import { soundTypeOf } from '../../../src/whatsapp/media/sound-type.ts';
import { convert, hollow, tone } from '../../support/sounds.ts';

/** Length in seconds and loudest sample of all pieces; undefined when there are none. */
async function facts(file: Uint8Array) {
  let read: { seconds: number; loudest: number; longest: number } | undefined;
  for await (const { samples, rate } of decodeSound(file)) {
    read ??= { seconds: 0, loudest: 0, longest: 0 };
    read.seconds += samples.length / rate;
    read.loudest = samples.reduce((most, level) => Math.max(most, level), read.loudest);
    read.longest = Math.max(read.longest, samples.length / rate);
  }
  return read;
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

describe('sound files', () => {
  it.each([
    ['mp3', []],
    ['ogg', ['-c:a', 'libopus']],
    ['wav', []],
    ['wav', ['-c:a', 'pcm_s24le']],
    ['wav', ['-c:a', 'pcm_f32le']],
    ['wav', ['-c:a', 'pcm_u8']],
  ])('decodeSound decodes %s %j with its duration and level', async (extension, options) => {
    const read = await facts(convert(tone(2), extension, ...options));
    expect(read?.seconds).toBeCloseTo(2, 0);
    expect(read?.loudest).toBeGreaterThan(0.5);
    expect(read?.loudest).toBeLessThan(0.75);
  });

  it.each([
    ['m4a', [], 'audio/mp4'],
    ['webm', [], 'audio/webm'],
    ['flac', [], 'audio/flac'],
    ['aac', [], 'audio/aac'],
    ['ogg', ['-c:a', 'libvorbis'], 'audio/ogg'],
    ['amr', ['-ar', '8000', '-ac', '1'], 'audio/amr'],
  ])('soundTypeOf recognizes %s %j, which is not decoded', async (extension, options, type) => {
    const file = convert(tone(1), extension, ...options);
    expect(soundTypeOf(file)).toBe(type);
    expect(await facts(file)).toBeUndefined();
  });

  it('decodeSound mixes two channels to their mean', async () => {
    const stereo = Buffer.from(new Int16Array([16384, 0, -16384, 0]).buffer);
    const [piece] = [...(decodeSound(pcm(1, 16, stereo, 2)) as Iterable<{ samples: Float32Array }>)];
    expect([...(piece?.samples ?? [])]).toEqual([0.25, -0.25]);
  });

  it.each([
    ['no samples', pcm(1, 16, Buffer.alloc(0))],
    ['12 bits', pcm(1, 12, Buffer.alloc(100))],
    ['compressed samples', pcm(85, 16, Buffer.alloc(100))],
    ['no channels', pcm(1, 16, Buffer.alloc(100), 0)],
    ['a head only', tone(1).subarray(0, 30)],
  ])('decodeSound does not decode wav with %s', async (_, file) => {
    expect(await facts(file)).toBeUndefined();
  });

  it('decodeSound yields small pieces of a sound that unpacks to hours', async () => {
    const file = hollow(300);
    expect(file.length).toBeLessThan(10_000);
    const read = await facts(file);
    expect(read?.seconds).toBeCloseTo(306, 0);
    expect(read?.longest).toBeLessThan(62);
  });

  it('decodeSound does not decode hundreds of channels in any stream', async () => {
    expect(await facts(hollow(31, 200))).toBeUndefined();
    expect(await facts(Buffer.concat([hollow(31), hollow(31, 200)]))).toBeUndefined();
  });
});

describe('kinds of files', () => {
  it.each([['hello, world'], [''], ['OggS'], ['<html><body>']])('soundTypeOf returns nothing for %j', async (text) => {
    expect([undefined, 'audio/ogg']).toContain(soundTypeOf(Buffer.from(text)));
    expect(await facts(Buffer.from(text))).toBeUndefined();
  });
});
