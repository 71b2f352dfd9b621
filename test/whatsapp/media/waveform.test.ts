import { describe, expect, it } from 'vitest';
import { Waveform } from '../../../src/whatsapp/media/waveform.ts';

const createWaveform = (rate: number, ...pieces: number[][]) => {
  const levels = new Waveform(rate);
  for (const piece of pieces) levels.add(Float32Array.from(piece));
  return levels;
};

describe('Waveform', () => {
  it('Waveform.levels() returns 64 levels in order, the loudest at 100', () => {
    const sound = Array.from({ length: 6400 }, (_, i) => (i < 3200 ? 0.5 : -0.125));
    const levels = createWaveform(1000, sound);
    expect([...levels.levels()]).toEqual([...Array(32).fill(100), ...Array(32).fill(25)]);
    expect(levels.seconds).toBe(6.4);
  });

  it('Waveform does not depend on the split of the sound into pieces', () => {
    const sound = Array.from({ length: 5000 }, (_, i) => Math.sin(i / 100) * (i / 5000));
    const splitSound = createWaveform(8000, sound.slice(0, 7), sound.slice(7, 3333), sound.slice(3333));
    expect(splitSound.levels()).toEqual(createWaveform(8000, sound).levels());
    expect(splitSound.seconds).toBe(5000 / 8000);
  });

  it.each([
    [[]],
    [[0, 0, 0]],
    [[0.3]],
  ])('Waveform.levels() returns 64 levels for a sound as short or silent as %j', (sound) => {
    const waveform = createWaveform(8000, sound).levels();
    expect(waveform).toHaveLength(64);
    expect([0, 100]).toContain(waveform[0]);
  });
});
