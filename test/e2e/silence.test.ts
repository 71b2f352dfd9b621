// Open but dead: a connection on which the platform says nothing any more. A minute passes here without being waited for.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { at } from '../support/api.ts';
import { isState, isTransition, startWorld } from '../support/gateway.ts';

const mine = '15550018101';
const theirs = '15550018102';
/** ms: the second round of keep-alives is over. */
const TWO_ROUNDS = 61_000;

// The library's keep-alives run on an interval and compare dates; everything else here is real.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  'stall',
  'freeze',
] as const)('is noticed within two rounds of keep-alives, told and repaired: %s', async (kind) => {
  const world = await startWorld();
  await world.link('shop', mine);
  vi.advanceTimersByTime(TWO_ROUNDS / 2);
  world.sandbox.faults.add({ kind, number: mine });
  await world.sandbox.phones.phone(theirs).send(mine, { text: 'said into the void' });
  const seen = world.log.length;
  const postCount = world.receiver.posts.length;
  vi.advanceTimersByTime(TWO_ROUNDS);
  await world.logged((line) => isTransition(line, 'backoff'), seen);
  const lost = await world.receiver.next(({ body }) => isState(body, 'shop', 'connecting'), { after: postCount });
  expect(at(lost.body, 'data')).toMatchObject({ statusReason: 408, cause: 'silent', message: expect.any(String) });
  await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: postCount });
  const late = await world.receiver.next(({ body }) => at(body, 'event') === 'messages.upsert', { after: postCount });
  expect(at(late.body, 'data.message.conversation')).toBe('said into the void');
});
