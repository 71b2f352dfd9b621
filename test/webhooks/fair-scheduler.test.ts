import { describe, expect, it } from 'vitest';
import { FairScheduler } from '../../src/webhooks/fair-scheduler.ts';

/** Jobs that run until the test ends them. */
function jobs(turns: FairScheduler) {
  const running: { name: string; end: () => void }[] = [];
  const started: string[] = [];
  return {
    started,
    add(key: string, name = key) {
      turns.add(key, () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        started.push(name);
        running.push({ name, end: resolve });
        return promise;
      });
    },
    async end(name: string) {
      const index = running.findIndex((job) => job.name === name);
      running.splice(index, 1)[0]?.end();
      await new Promise(setImmediate);
    },
    running: () => running.map((job) => job.name),
  };
}

describe('FairScheduler', () => {
  it('jobs are limited per key and in all', async () => {
    const { add, end, running } = jobs(new FairScheduler({ total: 3, perKey: 2 }));
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    for (const name of ['b1', 'b2']) add('b', name);
    expect(running()).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(running()).toHaveLength(3);
  });

  it('a waiting key runs before a key that has just run', async () => {
    const { add, end, started } = jobs(new FairScheduler({ total: 1, perKey: 1 }));
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    for (const name of ['b1', 'b2']) add('b', name);
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
    expect(started).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('close() waits for running jobs and drops waiting ones', async () => {
    const turns = new FairScheduler({ total: 1, perKey: 1 });
    const { add, end, started } = jobs(turns);
    add('a', 'a1');
    add('a', 'a2');
    const closed = turns.close();
    await end('a1');
    await closed;
    expect(started).toEqual(['a1']);
  });
});
