import { describe, expect, it } from 'vitest';
import { RetentionTask } from '../../src/storage/retention-task.ts';
import { FakeClock, tick } from '../instances/fakes.ts';
import { silent } from '../whatsapp/fakes.ts';

const hour = 3_600_000;

interface Prunes {
  messages?: (signal?: AbortSignal) => Promise<number>;
  requests?: () => Promise<number>;
  statuses?: (before: number) => Promise<number>;
}

const nothing = async () => 0;

function start(
  days: number,
  count: number,
  { messages: pruneMessages = nothing, requests = nothing, statuses = nothing }: Prunes = {},
) {
  const clock = new FakeClock();
  const calls: object[] = [];
  const expired: number[] = [];
  const messages = {
    prune: (limits: object, signal?: AbortSignal) => {
      calls.push(limits);
      return pruneMessages(signal);
    },
    pruneStatuses: statuses,
  };
  const retention = new RetentionTask({
    messages,
    requests: {
      prune: async (now) => {
        expired.push(now);
        return requests();
      },
    },
    clock,
    log: silent,
    limits: { messageRetentionDays: days, messageRetentionCount: count },
  });
  retention.start();
  return { clock, calls, expired, retention };
}

describe('Retention', () => {
  it('removes what is older than the days and beyond the count, every hour', async () => {
    const { clock, calls } = start(2, 500);
    const before = Math.floor(clock.now() / 1000) - 2 * 86_400;
    for (let turn = 0; turn < 3; turn++) {
      await clock.advance(hour);
    }
    expect(calls).toHaveLength(3);
    expect(calls[0]).toEqual({ before: expect.any(Number), keep: 500 });
    expect(calls[0]).toHaveProperty('before', before + 60);
  });

  it('asks for one limit alone when only one is set, and for nothing when none is', async () => {
    const [byAge, byCount, never] = [start(1, 0), start(0, 10), start(0, 0)];
    for (const { clock } of [byAge, byCount, never]) await clock.advance(hour);
    expect(byAge.calls).toEqual([{ before: expect.any(Number) }]);
    expect(byCount.calls).toEqual([{ keep: 10 }]);
    expect(never.calls).toEqual([]);
    expect(never.expired).toHaveLength(1);
  });

  it('goes on after a failure', async () => {
    const { clock, calls } = start(0, 1, { messages: () => Promise.reject(new Error('the store is away')) });
    for (let turn = 0; turn < 2; turn++) {
      await clock.advance(hour);
    }
    expect(calls).toHaveLength(2);
  });

  it('deletes messages when requests cannot be deleted', async () => {
    const { clock, calls } = start(0, 1, { requests: () => Promise.reject(new Error('the store is away')) });
    await clock.advance(hour);
    expect(calls).toEqual([{ keep: 1 }]);
  });

  it('deletes statuses that have waited for their message for 30 days, once a day, also without limits', async () => {
    const limits: number[] = [];
    const statuses = async (before: number) => limits.push(before);
    const { clock } = start(0, 0, { statuses });
    const startedAt = clock.now();
    for (let turn = 0; turn < 26; turn++) await clock.advance(hour);
    expect(limits.map((before) => (before - startedAt) / hour)).toEqual([1 - 30 * 24, 25 - 30 * 24]);
  });

  it('interrupts a removal in progress when it stops', async () => {
    const untilInterrupted = (signal?: AbortSignal) =>
      new Promise<number>((resolve) => signal?.addEventListener('abort', () => resolve(0)));
    const { clock, calls, retention } = start(0, 1, { messages: untilInterrupted });
    await clock.advance(hour);
    expect(calls).toHaveLength(1);
    await retention.stop();
  });

  it('stops only when a removal in progress has ended, and permanently', async () => {
    const gate = Promise.withResolvers<number>();
    const { clock, calls, retention } = start(0, 1, { messages: () => gate.promise });
    await clock.advance(hour);
    let isStopped = false;
    const stopped = retention.stop().then(() => {
      isStopped = true;
    });
    await tick();
    expect(isStopped).toBe(false);
    gate.resolve(0);
    await stopped;
    await clock.advance(3 * hour);
    expect(calls).toHaveLength(1);
  });
});
