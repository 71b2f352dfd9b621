import { describe, expect, it } from 'vitest';
import { pause, settleWithin, withDeadline } from '../../src/lib/deadline.ts';

const limits = (ended = new AbortController(), timeoutMs = 10_000) => ({
  timeoutMs,
  toTimeoutError: () => new Error('too late'),
  signal: ended.signal,
  toAbortError: () => new Error('over'),
});
const never = new Promise<never>(() => undefined);

describe('within', () => {
  it('gives back what the work gives', async () => {
    await expect(withDeadline(Promise.resolve(5), limits())).resolves.toBe(5);
    await expect(withDeadline(Promise.reject(new Error('own')), limits())).rejects.toThrow('own');
  });

  it('ends with the time', () => expect(withDeadline(never, limits(undefined, 1))).rejects.toThrow('too late'));

  it('ends with the session, now or before', async () => {
    const ended = new AbortController();
    const waiting = expect(withDeadline(never, limits(ended))).rejects.toThrow('over');
    ended.abort();
    await waiting;
    await expect(withDeadline(never, limits(ended))).rejects.toThrow('over');
  });

  it('prefers what the work says when both come at once', async () => {
    const ended = new AbortController();
    ended.abort();
    await expect(withDeadline(Promise.reject(new Error('own')), limits(ended))).rejects.toThrow('own');
  });
});

describe('bounded', () => {
  it('is undefined for late and for failed work', async () => {
    expect(await settleWithin(Promise.resolve('in time'), 1_000)).toBe('in time');
    expect(await settleWithin(never, 1)).toBeUndefined();
    expect(await settleWithin(Promise.reject(new Error('no')), 1_000)).toBeUndefined();
  });
});

describe('pause', () => {
  it('ends early with the session', async () => {
    const ended = new AbortController();
    const waiting = pause(60_000, ended.signal);
    ended.abort();
    await waiting;
    await pause(60_000, ended.signal);
  });

  it('ends with its time', () => pause(1, new AbortController().signal));
});
