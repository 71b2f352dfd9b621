import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('waits for times that are longer than a timer of Node can wait', () => {
  let calls = 0;
  systemClock.after(60 * DAY_MS, () => calls++);
  vi.advanceTimersByTime(60 * DAY_MS - 1);
  expect(calls).toBe(0);
  vi.advanceTimersByTime(1);
  expect(calls).toBe(1);
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(calls).toBe(1);
});

it('can be canceled in the middle of such a time', () => {
  let calls = 0;
  const timer = systemClock.after(60 * DAY_MS, () => calls++);
  vi.advanceTimersByTime(40 * DAY_MS);
  timer.cancel();
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(calls).toBe(0);
});
