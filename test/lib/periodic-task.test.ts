import { describe, expect, it } from 'vitest';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import { PeriodicTask } from '../../src/lib/periodic-task.ts';
import { createSingleTimerClock } from '../support/single-timer-clock.ts';

/** Starts a task whose runs end when end() is called. */
function createTask() {
  const { clock, fire } = createSingleTimerClock();
  const ends: (() => void)[] = [];
  let started = 0;
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    started++;
    signals.push(signal);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const task = new PeriodicTask({ clock, first: 1, every: 1, work });
  task.start();
  return {
    task,
    started: () => started,
    signals,
    /** Lets intervals pass. */
    async pass(intervals: number) {
      for (let n = 0; n < intervals; n++) fire();
      await turnEnd();
    },
    async end() {
      ends.shift()?.();
      await turnEnd();
    },
  };
}

describe('PeriodicTask', () => {
  it('PeriodicTask starts one run, not one per interval, after a run that took many intervals', async () => {
    const { started, pass, end } = createTask();
    await pass(1);
    await pass(10);
    expect(started()).toBe(1);
    await end();
    expect(started()).toBe(2);
    await end();
    expect(started()).toBe(2);
    await pass(1);
    expect(started()).toBe(3);
  });

  it('PeriodicTask.stop() aborts the run in progress, waits for it, and starts no waiting run', async () => {
    const { task, started, signals, pass, end } = createTask();
    await pass(3);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    const stopped = task.stop();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await end();
    await stopped;
    expect(started()).toBe(1);
  });
});
