import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('systemClock.after() supports times that are longer than the maximum of a Node timer', () => {
  let calls = 0;
  systemClock.after(60 * DAY_MS, () => calls++);
  vi.advanceTimersByTime(60 * DAY_MS - 1);
  expect(calls).toBe(0);
  vi.advanceTimersByTime(1);
  expect(calls).toBe(1);
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(calls).toBe(1);
});

it('systemClock.after() can be canceled during a time that is longer than the maximum of a Node timer', () => {
  let calls = 0;
  const timer = systemClock.after(60 * DAY_MS, () => calls++);
  vi.advanceTimersByTime(40 * DAY_MS);
  timer.cancel();
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(calls).toBe(0);
});
