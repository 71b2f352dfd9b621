import { describe, expect, it } from 'vitest';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import { PeriodicTask } from '../../src/lib/periodic-task.ts';
import { createSingleTimerClock } from '../support/single-timer-clock.ts';

/** A task whose runs end when the test says so, and its interval. */
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

describe('a periodic task', () => {
  it('a run that takes many intervals is followed by one run, not by one per interval', async () => {
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

  it('a stop interrupts the run in progress and waits for it, and the runs that wait do not start', async () => {
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
