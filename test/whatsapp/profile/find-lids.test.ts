import { expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { createTokenBucket } from '../../../src/lib/token-bucket.ts';
import { findLids } from '../../../src/whatsapp/profile/find-lids.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const clock: Clock = { ...systemClock, now: () => 0 };
const [knownNumber, unknownNumber] = ['4915112345678', '4915112345679'];

/** Creates a session in which one number is known to be on WhatsApp, but not its LID. */
function createSession() {
  const queries: string[] = [];
  const getLIDsForPNs = async (jids: string[]) => void queries.push(...jids);
  const session = fakeSession({ signalRepository: { lidMapping: { getLIDsForPNs } } } as unknown as SessionSocket);
  const jid = `${knownNumber}@s.whatsapp.net`;
  session.saved.set(jid, { jid, lid: null, exists: true, checkedAt: Date.now() });
  const bucket = createTokenBucket({ limit: 3, window: 60_000, clock });
  return { session, bucket, queries };
}

it('findLids() makes no lookup when too few tokens are left for all lookups', async () => {
  const { session, bucket, queries } = createSession();
  bucket.take(session.instanceId, 2);
  await expect(findLids(session, [knownNumber, unknownNumber], bucket)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(session.calls).toEqual([]);
  expect(queries).toEqual([]);
  expect(bucket.take(session.instanceId, 1)).toBe(0);
});

it.each([
  ['known numbers', [knownNumber], 1],
  ['known and unknown numbers', [knownNumber, unknownNumber, knownNumber], 2],
])('findLids() takes one token for each number without a known LID: %s', async (_, numbers, tokens) => {
  const { session, bucket, queries } = createSession();
  expect(await findLids(session, numbers, bucket)).toHaveLength(numbers.length);
  expect(queries).toContain(`${knownNumber}@s.whatsapp.net`);
  expect(bucket.take(session.instanceId, 3 - tokens)).toBe(0);
  expect(bucket.take(session.instanceId, 1)).toBeGreaterThan(0);
});
