import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LoadLimits, ProcessLoad } from '../../src/lib/process-load.ts';

/** Whether the load is high after more than two samples. */
async function isHighAfterSamples(limits: LoadLimits, memory: () => number): Promise<boolean> {
  let samples = 0;
  const load = new ProcessLoad(limits, {
    interval: 30,
    memory: () => {
      samples += 1;
      return memory();
    },
  });
  onTestFinished(() => load.stop());
  await expect.poll(() => samples).toBeGreaterThan(2);
  return load.isHigh;
}

const NANOSECONDS_PER_MS = 1e6;

/** Collects sampled delays in ms and returns the statistics of the histogram of Node. */
class FakeDelays {
  readonly #samples: number[] = [];
  add(samples: readonly number[]): void {
    this.#samples.push(...samples.map((ms) => ms * NANOSECONDS_PER_MS));
  }
  get count(): number {
    return this.#samples.length;
  }
  get mean(): number {
    return this.#samples.reduce((sum, sample) => sum + sample, 0) / this.count;
  }
  get stddev(): number {
    const { mean } = this;
    return Math.sqrt(this.#samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / this.count);
  }
}

/** Whether the load is high after one check for each of these lists of sampled delays. */
function isHighAfter(checks: readonly (readonly number[])[], maxDelay: number): boolean {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const delays = new FakeDelays();
    const load = new ProcessLoad({ maxDelay, maxMemory: 0 }, { delays });
    for (const samples of checks) {
      delays.add(samples);
      vi.advanceTimersByTime(1_000);
    }
    load.stop();
    return load.isHigh;
  } finally {
    vi.useRealTimers();
  }
}

describe('ProcessLoad', () => {
  it('ProcessLoad is high above the limit of memory, and not at the limit', async () => {
    expect(await isHighAfterSamples({ maxDelay: 0, maxMemory: 100 }, () => 101)).toBe(true);
    expect(await isHighAfterSamples({ maxDelay: 0, maxMemory: 100 }, () => 100)).toBe(false);
  });

  it('ProcessLoad continues to check when no file descriptor is free for reading the memory', async () => {
    const failToRead = () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE', syscall: 'uv_resident_set_memory' });
    };
    expect(await isHighAfterSamples({ maxDelay: 0, maxMemory: 100 }, failToRead)).toBe(false);
  });

  it.each([
    ['every turn of the event loop takes 100 ms', Array(10).fill(100), 90],
    ['one turn of 500 ms is followed by 100 ms without load', [500, ...Array(10).fill(10)], 408],
    ['there is no load', Array(100).fill(10), 0],
  ])('ProcessLoad compares the mean delay over time with its limit when %s', (_, samples: number[], delay) => {
    expect(isHighAfter([samples], delay - 1)).toBe(delay > 0);
    expect(isHighAfter([samples], delay + 1)).toBe(false);
  });

  it('ProcessLoad counts each delay in one check, even after a long time', () => {
    const blocked = [500, 500];
    const quiet = Array<number>(100).fill(10);
    expect(isHighAfter([quiet, blocked], 400)).toBe(true);
    expect(isHighAfter([quiet, blocked, quiet], 1)).toBe(false);
    expect(isHighAfter([...Array<number[]>(2_000).fill([2_000]), quiet], 1)).toBe(false);
    expect(isHighAfter([...Array<number[]>(2_000).fill([2_000]), quiet, blocked], 400)).toBe(true);
  });

  it('ProcessLoad is high when the event loop takes no sample between two checks', () => {
    expect(isHighAfter([[10, 10], []], 5_000)).toBe(true);
    expect(isHighAfter([[10, 10], [], [10, 10]], 1)).toBe(false);
  });

  it('ProcessLoad is high while the event loop is late, and not afterwards', async () => {
    const load = new ProcessLoad({ maxDelay: 20, maxMemory: 0 }, { interval: 50 });
    onTestFinished(() => load.stop());
    const isHigh = () => {
      const end = performance.now() + 80;
      while (performance.now() < end);
      return load.isHigh;
    };
    await expect.poll(isHigh, { interval: 1 }).toBe(true);
    await expect.poll(() => load.isHigh, { interval: 200 }).toBe(false);
  });
});
