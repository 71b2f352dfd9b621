import { describe, expect, it, onTestFinished } from 'vitest';
import { type LoadLimits, ProcessLoad } from '../../src/lib/process-load.ts';

/** Two samples of it, the first one of which may have started in the middle of something. */
async function sampled(limits: LoadLimits, memory: () => number): Promise<boolean> {
  let samples = 0;
  const load = new ProcessLoad(limits, {
    interval: 30,
    memory: () => {
      samples += 1;
      return memory();
    },
  });
  onTestFinished(() => load.stop());
  await expect.poll(() => samples, { timeout: 10_000 }).toBeGreaterThan(2);
  return load.isHigh;
}

describe('the load of the process', () => {
  it('is high above the limit of memory, and not below it', async () => {
    expect(await sampled({ maxDelay: 0, maxMemory: 100 }, () => 101)).toBe(true);
    expect(await sampled({ maxDelay: 0, maxMemory: 100 }, () => 100)).toBe(false);
  });

  it('goes on being sampled when no file descriptor is left to read the memory with', async () => {
    const exhausted = () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE', syscall: 'uv_resident_set_memory' });
    };
    expect(await sampled({ maxDelay: 0, maxMemory: 100 }, exhausted)).toBe(false);
  });

  it('is high while the event loop is late, and not afterwards', async () => {
    const load = new ProcessLoad({ maxDelay: 20, maxMemory: 0 }, { interval: 50 });
    onTestFinished(() => load.stop());
    const isHigh = () => {
      const end = performance.now() + 80;
      while (performance.now() < end);
      return load.isHigh;
    };
    await expect.poll(isHigh, { timeout: 10_000, interval: 1 }).toBe(true);
    await expect.poll(() => load.isHigh, { timeout: 30_000, interval: 200 }).toBe(false);
  });
});
