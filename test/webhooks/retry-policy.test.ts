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

function decide(result: Partial<AttemptResult>, contextChange: Partial<RetryContext> = {}) {
  return toRetryDecision({ status: null, error: null, retryAfter: null, ...result }, { ...context, ...contextChange });
}

describe('settings of the operator', () => {
  it('maxAttempts ends an event after any failure, and does not count quick retries', () => {
    expect(decide({ status: 503 }, { attempts: 12, maxAttempts: 10 })).toMatchObject({ next: 'retry' });
    expect(decide({ status: 503, retryAfter: '60' }, { attempts: 13, maxAttempts: 10 })).toEqual({
      ...{ next: 'dead', scope: 'receiver', disable: false, reason: 'failed with 503 on the last of 13 attempts' },
    });
    expect(decide({ error: 'ECONNREFUSED' }, { attempts: 13, maxAttempts: 10 })).toMatchObject({
      ...{ next: 'dead', reason: 'no answer on the last of 13 attempts' },
    });
    expect(decide({ status: 200 }, { attempts: 13, maxAttempts: 10 })).toEqual({ next: 'delivered' });
  });

  it('maxAttempts 1 allows a single attempt', () => {
    expect(decide({ status: 503 }, { attempts: 1, maxAttempts: 1 })).toMatchObject({ next: 'dead' });
    expect(decide({ status: 503 }, { attempts: 4, maxAttempts: 2 })).toMatchObject({ next: 'retry' });
    expect(decide({ status: 503 }, { attempts: 5, maxAttempts: 2 })).toMatchObject({ next: 'dead' });
  });

  it('maxAttempts counts retries that were not quick', () => {
    expect(decide({ status: 429 }, { attempts: 1, maxAttempts: 2 })).toMatchObject({ next: 'retry' });
    expect(decide({ status: 429 }, { attempts: 2, slowRetries: 1, maxAttempts: 2 })).toMatchObject({ next: 'dead' });
    const oneQuick = { attempts: 3, slowRetries: 1, maxAttempts: 3 };
    expect(decide({ error: 'ETIMEDOUT' }, oneQuick)).toMatchObject({ next: 'retry' });
    expect(decide({ error: 'ETIMEDOUT' }, { ...oneQuick, attempts: 4, slowRetries: 2 })).toMatchObject({
      next: 'dead',
    });
  });

  it('maxAttempts allows another attempt when the number of slow retries exceeds the number of attempts', () => {
    expect(decide({ status: 503 }, { attempts: 1, slowRetries: 2, maxAttempts: 3 })).toMatchObject({ next: 'retry' });
  });

  it('a status in noRetry ends an event immediately', () => {
    const noRetry = [401, 500];
    for (const status of noRetry) {
      expect(decide({ status }, { noRetry })).toEqual({
        ...{ next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false },
      });
    }
    expect(decide({ status: 403 }, { noRetry })).toMatchObject({ next: 'retry' });
  });

  it('jitter varies the pause before a retry', () => {
    const pauses = (jitter: number) =>
      [0, 0.5, 1].map((randomValue) => {
        const next = decide({ status: 503 }, { jitter, random: () => randomValue });
        return next.next === 'retry' ? next.at - NOW : 0;
      });
    expect(pauses(0)).toEqual([5_000, 5_000, 5_000]);
    expect(pauses(0.2)).toEqual([4_000, 5_000, 6_000]);
    expect(pauses(1)).toEqual([0, 5_000, 10_000]);
  });
});

describe('responses', () => {
  it.each([200, 201, 202, 204, 299])('a response with status %i is a success', (status) => {
    expect(decide({ status })).toEqual({ next: 'delivered' });
  });

  it.each([
    408, 425, 429, 500, 502, 503, 504, 599,
  ])('a response with status %i is a failure of the receiver, so that the lane waits', (status) => {
    expect(decide({ status })).toEqual({ next: 'retry', at: NOW + 5_000, scope: 'receiver', pausesReceiver: false });
  });

  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'UND_ERR_SOCKET',
    'ETIMEDOUT',
    'ADDRESS_FORBIDDEN',
  ])('a request without a response (%s) is a failure of the receiver', (error) => {
    expect(decide({ error })).toMatchObject({ next: 'retry', scope: 'receiver' });
  });

  const provenRejections = { since: NOW - 20_000, times: 2, provenTimes: 1, isProven: true };

  it.each([
    301, 302, 307, 400, 401, 403, 404, 405, 413, 415, 422,
  ])('status %i rejects the event after three attempts while other events are delivered', (status) => {
    expect(decide({ status }, { attempts: 1 })).toEqual({
      next: 'retry',
      at: NOW + 5_000,
      scope: 'receiver',
      pausesReceiver: false,
    });
    const proven = decide({ status }, { attempts: 2, rejections: provenRejections });
    expect(proven).toEqual({ next: 'retry', at: NOW + 300_000, scope: 'event', pausesReceiver: false });
    expect(decide({ status }, { attempts: 9, rejections: { ...provenRejections, times: 3, provenTimes: 2 } })).toEqual({
      ...{ next: 'dead', reason: `refused with ${status}`, scope: 'event', disable: false },
    });
  });

  it.each([
    301, 400, 401, 403, 404, 405, 413, 415, 422,
  ])('status %i is a failure of the receiver while no event is delivered', (status) => {
    for (const [times, pause] of [5_000, 15_000, 30_000, 30_000].entries()) {
      const alone = { since: NOW - 400_000, times: times + 1, provenTimes: 0, isProven: false };
      const waits = { next: 'retry', at: NOW + pause, scope: 'receiver', pausesReceiver: false };
      expect(decide({ status }, { rejections: alone })).toEqual(waits);
    }
  });

  it('a rejection does not end an event with one proven rejection, nor an event that waited through an outage', () => {
    const once = { since: NOW - 3_600_000, times: 9, provenTimes: 1, isProven: true };
    expect(decide({ status: 401 }, { rejections: once })).toMatchObject({ next: 'retry', at: NOW + 300_000 });
    const stopped = { since: NOW - 3_600_000, times: 9, provenTimes: 1, isProven: false };
    expect(decide({ status: 401 }, { rejections: stopped })).toMatchObject({ next: 'retry', scope: 'receiver' });
  });

  it('a rejection ends an event that is marked as poison', () => {
    expect(decide({ status: 401 }, { isPoison: true })).toEqual({
      ...{ next: 'dead', reason: 'refused with 401', scope: 'event', disable: false },
    });
  });

  it('an event with rejections is retried at the latest five minutes after the first, when the next event is tried too', () => {
    const alone = { since: NOW - 290_000, times: 7, provenTimes: 0, isProven: false };
    expect(decide({ status: 401 }, { rejections: alone })).toMatchObject({ at: NOW + 10_000 });
  });

  it('status 410 ends the event and disables the webhook immediately', () => {
    expect(decide({ status: 410 })).toMatchObject({ next: 'dead', disable: true });
  });

  it.each([500, 503, 429])('an event that gets status %i is retried until it is as old as maxAge', (status) => {
    expect(decide({ status }, { createdAt: NOW - 72 * HOUR })).toMatchObject({ next: 'dead', reason: 'expired' });
    expect(decide({ status }, { createdAt: NOW - 72 * HOUR + 1 })).toMatchObject({ next: 'retry' });
  });

  it('status 500 ends an event that is marked as poison; 502, 503, 504, 429 and a missing response do not', () => {
    expect(decide({ status: 500 }, { isPoison: true })).toMatchObject({ next: 'dead', scope: 'receiver' });
    for (const result of [
      { status: 502 },
      { status: 503 },
      { status: 504 },
      { status: 429 },
      { error: 'ECONNRESET' },
    ]) {
      expect(decide(result, { isPoison: true })).toMatchObject({ next: 'retry' });
    }
  });
});

describe('pauses before retries', () => {
  it('the pause before a retry is short three times, and then follows the schedule, whose last step repeats', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 50].map((attempts) => decide({ status: 500 }, { attempts }));
    expect(pauses.map((decision) => decision.next === 'retry' && decision.at - NOW)).toEqual([
      ...[50, 250, 1_000],
      ...[5_000, 15_000, 30_000, 30_000, 30_000],
    ]);
    expect(pauses.map((decision) => decision.next === 'retry' && decision.quick === true)).toEqual([
      ...[true, true, true],
      ...[false, false, false, false, false],
    ]);
    expect(decide({ status: 500 }, { attempts: 1, random: () => 0 })).toMatchObject({ at: NOW + 40 });
    expect(decide({ status: 500 }, { attempts: 1, random: () => 1 })).toMatchObject({ at: NOW + 60 });
  });

  it.each<[string, Partial<AttemptResult>, Partial<RetryContext>]>([
    ['a receiver that responds with 429', { status: 429 }, {}],
    ['a receiver that exceeds the timeout', { error: 'ETIMEDOUT' }, {}],
    ['a receiver whose breaker is open', { status: 500 }, { isBreakerOpenAfterFailure: true }],
    ['an event that is refused', { status: 422 }, {}],
  ])('the pause before a retry is not short for %s', (_, result, contextChange) => {
    expect(decide(result, { attempts: 1, ...contextChange })).toEqual({
      ...{ next: 'retry', at: NOW + 5_000, scope: 'receiver', pausesReceiver: false },
    });
  });

  it('the pause before a retry follows the schedule from the first retry if there are no quick retries', () => {
    const pauses = [1, 2, 3, 4].map((attempts) => decide({ status: 429 }, { attempts, slowRetries: attempts - 1 }));
    expect(pauses.map((decision) => decision.next === 'retry' && decision.at - NOW)).toEqual([
      5_000, 15_000, 30_000, 30_000,
    ]);
  });

  it('the pause before a retry grows with the failed probes of an open breaker', () => {
    const pauses = [0, 1, 2, 3, 9].map((failedProbes) =>
      decide({ status: 500 }, { isBreakerOpenAfterFailure: true, failedProbes }),
    );
    expect(pauses.map((decision) => decision.next === 'retry' && decision.at - NOW)).toEqual([
      5_000, 15_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('the pause before a retry varies by 20 % in both directions', () => {
    expect(decide({ status: 500 }, { random: () => 0 })).toMatchObject({ at: NOW + 4_000 });
    expect(decide({ status: 500 }, { random: () => 1 })).toMatchObject({ at: NOW + 6_000 });
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
  ])('the pause before a retry follows Retry-After "%s", from 1 s to 1 h', (retryAfter, pause) => {
    expect(parseRetryAfter(retryAfter, NOW)).toBe(pause);
    const scheduled = { next: 'retry', at: NOW + pause, scope: 'receiver', pausesReceiver: true };
    expect(decide({ status: 503, retryAfter }, { random: () => 1 })).toEqual(scheduled);
  });

  it.each(['soon', '', '-', '1.5', '-5', 'May 5'])('an invalid Retry-After "%s" is ignored', (retryAfter) => {
    expect(decide({ status: 503, retryAfter })).toMatchObject({ at: NOW + 5_000, pausesReceiver: false });
  });

  it('Retry-After does not apply to a rejected event', () => {
    expect(decide({ status: 400, retryAfter: '600' })).toMatchObject({ at: NOW + 5_000, pausesReceiver: false });
  });
});
