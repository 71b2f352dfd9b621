import { describe, expect, it } from 'vitest';
import { createFairLimiter, QueueFullError } from '../../src/lib/fair-limiter.ts';

/** Creates tasks that end when end() is called. `startedTasks` has their names in the order of their starts. */
function createTasks() {
  const startedTasks: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => () => {
    startedTasks.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun: startedTasks, task, end };
}

describe('createFairLimiter', () => {
  it('a fair limiter takes turns between owners, regardless of how many tasks one owner has', async () => {
    const { begun: startedTasks, task, end } = createTasks();
    const limiter = createFairLimiter({ slots: 1, perOwner: 1, waitingPerOwner: 10 });
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => limiter.run(name.charAt(0), task(name)));
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name);
    await Promise.all(all);
    expect(startedTasks).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('a fair limiter leaves a slot to other owners when one owner is at its limit', async () => {
    const { begun: startedTasks, task, end } = createTasks();
    const limiter = createFairLimiter({ slots: 2, perOwner: 1, waitingPerOwner: 10 });
    const all = [limiter.run('a', task('a1')), limiter.run('a', task('a2')), limiter.run('b', task('b1'))];
    expect(startedTasks).toEqual(['a1', 'b1']);
    await end('b1');
    expect(startedTasks).toEqual(['a1', 'b1']);
    await end('a1');
    expect(startedTasks).toEqual(['a1', 'b1', 'a2']);
    await end('a2');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1']);
  });

  it('a fair limiter rejects a task when too many tasks of its owner wait, and still accepts other owners', async () => {
    const { task, end } = createTasks();
    const limiter = createFairLimiter({ slots: 1, perOwner: 1, waitingPerOwner: 1 });
    const all = [limiter.run('a', task('a1')), limiter.run('a', task('a2'))];
    await expect(limiter.run('a', task('a3'))).rejects.toBeInstanceOf(QueueFullError);
    all.push(limiter.run('b', task('b1')));
    for (const name of ['a1', 'a2', 'b1']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1']);
  });

  it('a fair limiter continues after a task that fails', async () => {
    const limiter = createFairLimiter({ slots: 1, perOwner: 1, waitingPerOwner: 1 });
    const failed = limiter.run('a', async () => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await limiter.run('a', async () => 'yes')).toBe('yes');
  });
});
