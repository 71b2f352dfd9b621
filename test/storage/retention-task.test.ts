import { describe, expect, it } from 'vitest';
import { RetentionTask } from '../../src/storage/retention-task.ts';
import { FakeClock, tick } from '../support/instance-fakes.ts';
import { silent } from '../support/session-fakes.ts';

const HOUR_MS = 3_600_000;

interface Prunes {
  messages?: (signal?: AbortSignal) => Promise<number>;
  requests?: () => Promise<number>;
  statuses?: (before: number) => Promise<number>;
}

const pruneNothing = async () => 0;

function start(
  days: number,
  count: number,
  { messages: pruneMessages = pruneNothing, requests = pruneNothing, statuses = pruneNothing }: Prunes = {},
) {
  const clock = new FakeClock();
  const calls: object[] = [];
  const requestPrunes: number[] = [];
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
        requestPrunes.push(now);
        return requests();
      },
    },
    clock,
    log: silent,
    limits: { messageRetentionDays: days, messageRetentionCount: count },
  });
  retention.start();
  return { clock, calls, requestPrunes, retention };
}

describe('RetentionTask', () => {
  it('RetentionTask prunes messages by age and by count every hour', async () => {
    const { clock, calls } = start(2, 500);
    const before = Math.floor(clock.now() / 1000) - 2 * 86_400;
    for (let turn = 0; turn < 3; turn++) {
      await clock.advance(HOUR_MS);
    }
    expect(calls).toHaveLength(3);
    expect(calls[0]).toEqual({ before: expect.any(Number), keep: 500 });
    expect(calls[0]).toHaveProperty('before', before + 60);
  });

  it('RetentionTask passes only the limits that are set, and prunes no messages without a limit', async () => {
    const [byAge, byCount, never] = [start(1, 0), start(0, 10), start(0, 0)];
    for (const { clock } of [byAge, byCount, never]) await clock.advance(HOUR_MS);
    expect(byAge.calls).toEqual([{ before: expect.any(Number) }]);
    expect(byCount.calls).toEqual([{ keep: 10 }]);
    expect(never.calls).toEqual([]);
    expect(never.requestPrunes).toHaveLength(1);
  });

  it('RetentionTask runs again after a failure', async () => {
    const { clock, calls } = start(0, 1, { messages: () => Promise.reject(new Error('the store is away')) });
    for (let turn = 0; turn < 2; turn++) {
      await clock.advance(HOUR_MS);
    }
    expect(calls).toHaveLength(2);
  });

  it('RetentionTask prunes messages when the deletion of requests fails', async () => {
    const { clock, calls } = start(0, 1, { requests: () => Promise.reject(new Error('the store is away')) });
    await clock.advance(HOUR_MS);
    expect(calls).toEqual([{ keep: 1 }]);
  });

  it('RetentionTask deletes statuses that waited 30 days for their message, once a day and also without limits', async () => {
    const limits: number[] = [];
    const statuses = async (before: number) => limits.push(before);
    const { clock } = start(0, 0, { statuses });
    const startedAt = clock.now();
    for (let turn = 0; turn < 26; turn++) await clock.advance(HOUR_MS);
    expect(limits.map((before) => (before - startedAt) / HOUR_MS)).toEqual([1 - 30 * 24, 25 - 30 * 24]);
  });

  it('RetentionTask.stop() interrupts a deletion in progress', async () => {
    const untilInterrupted = (signal?: AbortSignal) =>
      new Promise<number>((resolve) => signal?.addEventListener('abort', () => resolve(0)));
    const { clock, calls, retention } = start(0, 1, { messages: untilInterrupted });
    await clock.advance(HOUR_MS);
    expect(calls).toHaveLength(1);
    await retention.stop();
  });

  it('RetentionTask.stop() resolves when the deletion in progress has ended, and no deletion starts afterwards', async () => {
    const gate = Promise.withResolvers<number>();
    const { clock, calls, retention } = start(0, 1, { messages: () => gate.promise });
    await clock.advance(HOUR_MS);
    let isStopped = false;
    const stopped = retention.stop().then(() => {
      isStopped = true;
    });
    await tick();
    expect(isStopped).toBe(false);
    gate.resolve(0);
    await stopped;
    await clock.advance(3 * HOUR_MS);
    expect(calls).toHaveLength(1);
  });
});
