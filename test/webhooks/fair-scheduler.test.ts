import { describe, expect, it } from 'vitest';
import { FairScheduler } from '../../src/webhooks/fair-scheduler.ts';

/** Adds jobs that run until the test ends them. */
function createJobs(scheduler: FairScheduler) {
  const running: { name: string; end: () => void }[] = [];
  const started: string[] = [];
  return {
    started,
    add(key: string, name = key) {
      scheduler.add(key, () => {
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
  it('FairScheduler limits the running jobs per key and in total', async () => {
    const { add, end, running } = createJobs(new FairScheduler({ total: 3, perKey: 2 }));
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    for (const name of ['b1', 'b2']) add('b', name);
    expect(running()).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(running()).toHaveLength(3);
  });

  it('FairScheduler runs a waiting key before a key that has just run', async () => {
    const { add, end, started } = createJobs(new FairScheduler({ total: 1, perKey: 1 }));
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    for (const name of ['b1', 'b2']) add('b', name);
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
    expect(started).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('FairScheduler.close() waits for running jobs and drops waiting jobs', async () => {
    const scheduler = new FairScheduler({ total: 1, perKey: 1 });
    const { add, end, started } = createJobs(scheduler);
    add('a', 'a1');
    add('a', 'a2');
    const closed = scheduler.close();
    await end('a1');
    await closed;
    expect(started).toEqual(['a1']);
  });
});
