import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../src/lib/limiter.ts';

describe('createLimiter', () => {
  it('a limiter runs all tasks in the order of arrival, and at most as many at the same time as it has slots', async () => {
    const limiter = createLimiter(3);
    const started: number[] = [];
    const finish: (() => void)[] = [];
    let running = 0;
    let maxRunning = 0;
    const tasks = Array.from({ length: 10 }, (_, i) =>
      limiter.run(async () => {
        started.push(i);
        running += 1;
        maxRunning = Math.max(maxRunning, running);
        await new Promise<void>((resolve) => finish.push(resolve));
        running -= 1;
        return i;
      }),
    );
    const all = Promise.all(tasks);
    let isDone = false;
    void all.then(() => {
      isDone = true;
    });
    while (!isDone) {
      finish.shift()?.();
      await new Promise(setImmediate);
    }
    expect(await all).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(maxRunning).toBe(3);
  });

  it('a limiter frees the slot of a task that fails', async () => {
    const limiter = createLimiter(1);
    await expect(limiter.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(limiter.run(async () => 'yes')).resolves.toBe('yes');
  });
});
