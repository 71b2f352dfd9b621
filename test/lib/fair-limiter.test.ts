import { describe, expect, it } from 'vitest';
import { createFairLimiter, QueueFullError } from '../../src/lib/fair-limiter.ts';

/** Tasks that end on command, and the order in which they began. */
function stage() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, task, end };
}

describe('a fair limiter', () => {
  it('takes turns between owners, however many tasks one of them has', async () => {
    const { begun, task, end } = stage();
    const limiter = createFairLimiter({ slots: 1, perOwner: 1, waitingPerOwner: 10 });
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => limiter.run(name.charAt(0), task(name)));
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('leaves a slot to others that one owner may not have', async () => {
    const { begun, task, end } = stage();
    const limiter = createFairLimiter({ slots: 2, perOwner: 1, waitingPerOwner: 10 });
    const all = [limiter.run('a', task('a1')), limiter.run('a', task('a2')), limiter.run('b', task('b1'))];
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    await end('a2');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1']);
  });

  it('refuses what would wait behind too many of the same owner, and nothing of others', async () => {
    const { task, end } = stage();
    const limiter = createFairLimiter({ slots: 1, perOwner: 1, waitingPerOwner: 1 });
    const all = [limiter.run('a', task('a1')), limiter.run('a', task('a2'))];
    await expect(limiter.run('a', task('a3'))).rejects.toBeInstanceOf(QueueFullError);
    all.push(limiter.run('b', task('b1')));
    for (const name of ['a1', 'a2', 'b1']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1']);
  });

  it('goes on after a task that fails', async () => {
    const limiter = createFairLimiter({ slots: 1, perOwner: 1, waitingPerOwner: 1 });
    const failed = limiter.run('a', async () => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await limiter.run('a', async () => 'yes')).toBe('yes');
  });
});
