import { describe, expect, it } from 'vitest';
import {
  type AttemptResult,
  parseRetryAfter,
  type RetryContext,
  toRetryDecision,
} from '../../src/webhooks/retry-policy.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

const context: RetryContext = {
  attempts: 4,
  rejections: { since: NOW, times: 1, provenTimes: 0, isProven: false },
  slowRetries: 0,
  isBreakerOpenAfterFailure: false,
  failedProbes: 0,
  createdAt: NOW,
  now: NOW,
  isPoison: false,
  schedule: [5_000, 15_000, 30_000],
  jitter: 0.2,
  maxAttempts: 0,
  noRetry: [],
  maxAge: 72 * HOUR,
  random: () => 0.5,
};

function outcome(attempted: Partial<AttemptResult>, more: Partial<RetryContext> = {}) {
  return toRetryDecision({ status: null, error: null, retryAfter: null, ...attempted }, { ...context, ...more });
}

describe('the settings of an operator', () => {
  it('maxAttempts ends an event after any failure; quick retries do not count', () => {
    expect(outcome({ status: 503 }, { attempts: 12, maxAttempts: 10 })).toMatchObject({ next: 'retry' });
    expect(outcome({ status: 503, retryAfter: '60' }, { attempts: 13, maxAttempts: 10 })).toEqual({
      ...{ next: 'dead', scope: 'receiver', disable: false, reason: 'failed with 503 on the last of 13 attempts' },
    });
    expect(outcome({ error: 'ECONNREFUSED' }, { attempts: 13, maxAttempts: 10 })).toMatchObject({
      ...{ next: 'dead', reason: 'no answer on the last of 13 attempts' },
    });
    expect(outcome({ status: 200 }, { attempts: 13, maxAttempts: 10 })).toEqual({ next: 'delivered' });
  });

  it('maxAttempts 1 allows a single attempt', () => {
    expect(outcome({ status: 503 }, { attempts: 1, maxAttempts: 1 })).toMatchObject({ next: 'dead' });
    expect(outcome({ status: 503 }, { attempts: 4, maxAttempts: 2 })).toMatchObject({ next: 'retry' });
    expect(outcome({ status: 503 }, { attempts: 5, maxAttempts: 2 })).toMatchObject({ next: 'dead' });
  });

  it('maxAttempts counts retries that were not quick', () => {
    expect(outcome({ status: 429 }, { attempts: 1, maxAttempts: 2 })).toMatchObject({ next: 'retry' });
    expect(outcome({ status: 429 }, { attempts: 2, slowRetries: 1, maxAttempts: 2 })).toMatchObject({ next: 'dead' });
    const oneQuick = { attempts: 3, slowRetries: 1, maxAttempts: 3 };
    expect(outcome({ error: 'ETIMEDOUT' }, oneQuick)).toMatchObject({ next: 'retry' });
    expect(outcome({ error: 'ETIMEDOUT' }, { ...oneQuick, attempts: 4, slowRetries: 2 })).toMatchObject({
      next: 'dead',
    });
  });

  it('maxAttempts allows attempts also when more retries were not quick than there were attempts', () => {
    expect(outcome({ status: 503 }, { attempts: 1, slowRetries: 2, maxAttempts: 3 })).toMatchObject({ next: 'retry' });
  });

  it('noRetry statuses end an event at once', () => {
    const noRetry = [401, 500];
    for (const status of noRetry) {
      expect(outcome({ status }, { noRetry })).toEqual({
        ...{ next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false },
      });
    }
    expect(outcome({ status: 403 }, { noRetry })).toMatchObject({ next: 'retry' });
  });

  it('jitter varies the pauses', () => {
    const pauses = (jitter: number) =>
      [0, 0.5, 1].map((dice) => {
        const next = outcome({ status: 503 }, { jitter, random: () => dice });
        return next.next === 'retry' ? next.at - NOW : 0;
      });
    expect(pauses(0)).toEqual([5_000, 5_000, 5_000]);
    expect(pauses(0.2)).toEqual([4_000, 5_000, 6_000]);
    expect(pauses(1)).toEqual([0, 5_000, 10_000]);
  });
});

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('status %i is success', (status) => {
    expect(outcome({ status })).toEqual({ next: 'delivered' });
  });

  it.each([
    408, 425, 429, 500, 502, 503, 504, 599,
  ])('status %i is a failure of the receiver: the lane waits', (status) => {
    expect(outcome({ status })).toEqual({ next: 'retry', at: NOW + 5_000, scope: 'receiver', pausesReceiver: false });
  });

  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'UND_ERR_SOCKET',
    'ETIMEDOUT',
    'ADDRESS_FORBIDDEN',
  ])('no answer (%s) is a failure of the receiver', (error) => {
    expect(outcome({ error })).toMatchObject({ next: 'retry', scope: 'receiver' });
  });

  const refusals = { since: NOW - 20_000, times: 2, provenTimes: 1, isProven: true };

  it.each([
    301, 302, 307, 400, 401, 403, 404, 405, 413, 415, 422,
  ])('status %i while others are delivered rejects this event: three attempts', (status) => {
    expect(outcome({ status }, { attempts: 1 })).toEqual({
      next: 'retry',
      at: NOW + 5_000,
      scope: 'receiver',
      pausesReceiver: false,
    });
    const blamed = outcome({ status }, { attempts: 2, rejections: refusals });
    expect(blamed).toEqual({ next: 'retry', at: NOW + 300_000, scope: 'event', pausesReceiver: false });
    expect(outcome({ status }, { attempts: 9, rejections: { ...refusals, times: 3, provenTimes: 2 } })).toEqual({
      ...{ next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false },
    });
  });

  it.each([
    301, 400, 401, 403, 404, 405, 413, 415, 422,
  ])('status %i while nothing is delivered is a failure of the receiver', (status) => {
    for (const [times, pause] of [5_000, 15_000, 30_000, 30_000].entries()) {
      const alone = { since: NOW - 400_000, times: times + 1, provenTimes: 0, isProven: false };
      const waits = { next: 'retry', at: NOW + pause, scope: 'receiver', pausesReceiver: false };
      expect(outcome({ status }, { rejections: alone })).toEqual(waits);
    }
  });

  it('a rejection does not end an event with one proven rejection, nor one that waited through an outage', () => {
    const once = { since: NOW - 3_600_000, times: 9, provenTimes: 1, isProven: true };
    expect(outcome({ status: 401 }, { rejections: once })).toMatchObject({ next: 'retry', at: NOW + 300_000 });
    const stopped = { since: NOW - 3_600_000, times: 9, provenTimes: 1, isProven: false };
    expect(outcome({ status: 401 }, { rejections: stopped })).toMatchObject({ next: 'retry', scope: 'receiver' });
  });

  it('a rejection ends an event that is poison', () => {
    expect(outcome({ status: 401 }, { isPoison: true })).toEqual({
      ...{ next: 'dead', reason: 'refused with 401', scope: 'event', disable: false },
    });
  });

  it('a rejected event is retried when its rejection can be proven', () => {
    const alone = { since: NOW - 290_000, times: 7, provenTimes: 0, isProven: false };
    expect(outcome({ status: 401 }, { rejections: alone })).toMatchObject({ at: NOW + 10_000 });
  });

  it('status 410 ends the event and disables the webhook at once', () => {
    expect(outcome({ status: 410 })).toMatchObject({ next: 'dead', disable: true });
  });

  it.each([500, 503, 429])('status %i ends an event older than the expiry', (status) => {
    expect(outcome({ status }, { createdAt: NOW - 72 * HOUR })).toMatchObject({ next: 'dead', reason: 'expired' });
    expect(outcome({ status }, { createdAt: NOW - 72 * HOUR + 1 })).toMatchObject({ next: 'retry' });
  });

  it('status 500 again and again while others are delivered ends the event; 503 and no answer do not', () => {
    expect(outcome({ status: 500 }, { isPoison: true })).toMatchObject({ next: 'dead', scope: 'receiver' });
    for (const attempted of [
      { status: 502 },
      { status: 503 },
      { status: 504 },
      { status: 429 },
      { error: 'ECONNRESET' },
    ]) {
      expect(outcome(attempted, { isPoison: true })).toMatchObject({ next: 'retry' });
    }
  });
});

describe('the pause', () => {
  it('the pause is short three times, then follows the schedule, whose last step repeats', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 50].map((attempts) => outcome({ status: 500 }, { attempts }));
    expect(pauses.map((one) => one.next === 'retry' && one.at - NOW)).toEqual([
      ...[50, 250, 1_000],
      ...[5_000, 15_000, 30_000, 30_000, 30_000],
    ]);
    expect(pauses.map((one) => one.next === 'retry' && one.quick === true)).toEqual([
      ...[true, true, true],
      ...[false, false, false, false, false],
    ]);
    expect(outcome({ status: 500 }, { attempts: 1, random: () => 0 })).toMatchObject({ at: NOW + 40 });
    expect(outcome({ status: 500 }, { attempts: 1, random: () => 1 })).toMatchObject({ at: NOW + 60 });
  });

  it.each<[string, Partial<AttemptResult>, Partial<RetryContext>]>([
    ['a receiver that asks for less', { status: 429 }, {}],
    ['one that takes too long', { error: 'ETIMEDOUT' }, {}],
    ['one that counts as dead', { status: 500 }, { isBreakerOpenAfterFailure: true }],
    ['an event that is refused', { status: 422 }, {}],
  ])('the pause is never short for %s', (_, attempted, more) => {
    expect(outcome(attempted, { attempts: 1, ...more })).toEqual({
      ...{ next: 'retry', at: NOW + 5_000, scope: 'receiver', pausesReceiver: false },
    });
  });

  it('without quick retries, the pause follows the schedule from the first retry', () => {
    const pauses = [1, 2, 3, 4].map((attempts) => outcome({ status: 429 }, { attempts, slowRetries: attempts - 1 }));
    expect(pauses.map((one) => one.next === 'retry' && one.at - NOW)).toEqual([5_000, 15_000, 30_000, 30_000]);
  });

  it('the pause grows with the failed probes of an open breaker', () => {
    const pauses = [0, 1, 2, 3, 9].map((failedProbes) =>
      outcome({ status: 500 }, { isBreakerOpenAfterFailure: true, failedProbes }),
    );
    expect(pauses.map((one) => one.next === 'retry' && one.at - NOW)).toEqual([5_000, 15_000, 30_000, 30_000, 30_000]);
  });

  it('the pause varies by 20 % either way', () => {
    expect(outcome({ status: 500 }, { random: () => 0 })).toMatchObject({ at: NOW + 4_000 });
    expect(outcome({ status: 500 }, { random: () => 1 })).toMatchObject({ at: NOW + 6_000 });
  });

  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 1_000],
    ['999999', HOUR],
    [new Date(NOW + 90_000).toUTCString(), 90_000],
    [new Date(NOW - 90_000).toUTCString(), 1_000],
    ['Friday, 15-Jan-27 08:01:30 GMT', 90_000],
    ['2027-01-15T08:01:30Z', 90_000],
  ])('the pause follows Retry-After "%s", from 1 s to 1 h', (retryAfter, pause) => {
    expect(parseRetryAfter(retryAfter, NOW)).toBe(pause);
    const scheduled = { next: 'retry', at: NOW + pause, scope: 'receiver', pausesReceiver: true };
    expect(outcome({ status: 503, retryAfter }, { random: () => 1 })).toEqual(scheduled);
  });

  it.each(['soon', '', '-', '1.5', '-5', 'May 5'])('an invalid Retry-After "%s" is ignored', (retryAfter) => {
    expect(outcome({ status: 503, retryAfter })).toMatchObject({ at: NOW + 5_000, pausesReceiver: false });
  });

  it('Retry-After does not apply to a rejected event', () => {
    expect(outcome({ status: 400, retryAfter: '600' })).toMatchObject({ at: NOW + 5_000, pausesReceiver: false });
  });
});
