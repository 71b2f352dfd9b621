import { expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { createTokenBucket } from '../../../src/lib/token-bucket.ts';
import { checkNumbers } from '../../../src/whatsapp/profile/check-numbers.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const groups = ['120363025246125486@g.us', '120363025246125487@g.us'];
const clock: Clock = { ...systemClock, now: () => 0 };
const bucketOf = (limit: number) => createTokenBucket({ limit, window: 60_000, clock });

it('checkNumbers() looks up nothing when the numbers and the groups together need too many tokens', async () => {
  const session = fakeSession();
  const bucket = bucketOf(3);
  const numbers = ['4915112345678', '4915112345679', ...groups];
  await expect(checkNumbers(session, numbers, bucket)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  bucket.take(session.instanceId, 1);
  await expect(checkNumbers(session, numbers.slice(1), bucket)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(session.calls).toEqual([]);
});

it('checkNumbers() takes one token for each different number and group', async () => {
  const session = fakeSession();
  const bucket = bucketOf(4);
  const numbers = ['4915112345678', '4915112345678', ...groups, ...groups];
  expect(await checkNumbers(session, numbers, bucket)).toHaveLength(6);
  expect(bucket.take(session.instanceId, 1)).toBe(0);
  expect(bucket.take(session.instanceId, 1)).toBeGreaterThan(0);
  await expect(checkNumbers(session, groups, bucket)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});
