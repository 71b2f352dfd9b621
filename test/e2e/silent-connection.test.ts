// An open connection on which the platform has stopped answering. Fake timers replace a wait of a minute.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { at } from '../support/api.ts';
import { isState, isTransition, startWorld } from '../support/gateway.ts';

const mine = '15550018101';
const contact = '15550018102';
/** In ms. The second round of keep-alives is over after this time. */
const TWO_ROUNDS = 61_000;

// The keep-alives of Baileys run on an interval and compare dates. All other timers are real.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  'stall',
  'freeze',
] as const)('an instance notices a silent platform (%s) within two rounds of keep-alives, reports it and reconnects', async (kind) => {
  const world = await startWorld();
  await world.link('shop', mine);
  vi.advanceTimersByTime(TWO_ROUNDS / 2);
  world.sandbox.faults.add({ kind, number: mine });
  await world.sandbox.phones.phone(contact).send(mine, { text: 'said into the void' });
  const linesBefore = world.log.length;
  const postCount = world.receiver.posts.length;
  vi.advanceTimersByTime(TWO_ROUNDS);
  await world.logged((line) => isTransition(line, 'backoff'), linesBefore);
  const connectingPost = await world.receiver.next(({ body }) => isState(body, 'shop', 'connecting'), {
    after: postCount,
  });
  expect(at(connectingPost.body, 'data')).toMatchObject({
    statusReason: 408,
    cause: 'silent',
    message: expect.any(String),
  });
  await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: postCount });
  const upsertPost = await world.receiver.next(({ body }) => at(body, 'event') === 'messages.upsert', {
    after: postCount,
  });
  expect(at(upsertPost.body, 'data.message.conversation')).toBe('said into the void');
});
