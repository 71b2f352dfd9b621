import { describe, expect, it } from 'vitest';
import { pause, settleWithin, withDeadline } from '../../src/lib/deadline.ts';

const limits = (controller = new AbortController(), timeoutMs = 10_000) => ({
  timeoutMs,
  toTimeoutError: () => new Error('too late'),
  signal: controller.signal,
  toAbortError: () => new Error('over'),
});
const unsettled = new Promise<never>(() => undefined);

describe('withDeadline', () => {
  it('withDeadline() settles in the same way as the work', async () => {
    await expect(withDeadline(Promise.resolve(5), limits())).resolves.toBe(5);
    await expect(withDeadline(Promise.reject(new Error('own')), limits())).rejects.toThrow('own');
  });

  it('withDeadline() rejects when its time is over', () =>
    expect(withDeadline(unsettled, limits(undefined, 1))).rejects.toThrow('too late'));

  it('withDeadline() rejects when its signal is aborted, before and during the work', async () => {
    const controller = new AbortController();
    const result = expect(withDeadline(unsettled, limits(controller))).rejects.toThrow('over');
    controller.abort();
    await result;
    await expect(withDeadline(unsettled, limits(controller))).rejects.toThrow('over');
  });

  it('withDeadline() rejects with the error of failed work, even when its signal is aborted', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(withDeadline(Promise.reject(new Error('own')), limits(controller))).rejects.toThrow('own');
  });
});

describe('settleWithin', () => {
  it('settleWithin() resolves with undefined for late and for failed work', async () => {
    expect(await settleWithin(Promise.resolve('in time'), 1_000)).toBe('in time');
    expect(await settleWithin(unsettled, 1)).toBeUndefined();
    expect(await settleWithin(Promise.reject(new Error('no')), 1_000)).toBeUndefined();
  });
});

describe('pause', () => {
  it('pause() ends when its signal is aborted, before and during the pause', async () => {
    const controller = new AbortController();
    const result = pause(60_000, controller.signal);
    controller.abort();
    await result;
    await pause(60_000, controller.signal);
  });

  it('pause() ends when its time is over', () => pause(1, new AbortController().signal));
});
