// A receiver that fails from time to time: quick retries, their cost, and the breaker that stops them.
import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../src/storage/webhook-stores.ts';
import { ReceiverHealth } from '../../src/webhooks/receiver-health.ts';
import { acceptedTexts, createReceiver, createWorld, hasText } from '../support/dispatcher-world.ts';

const SECOND = 1_000;
const CHATS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('receivers that fail once or twice per event', () => {
  it('a receiver that fails once or twice per event gets all events within 300 ms, in the order of each chat', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (post.attempt < (hasText('a0')(post) ? 3 : 1) ? 500 : 200));
    await world.receive(id, 'a', 'a0');
    await world.waitForAttempts(1);
    await world.receive(id, 'a', 'a1');
    await world.pass(49);
    await world.pass(0);
    expect(world.attempts()).toHaveLength(1);
    await world.pass(1);
    await world.waitForAttempts(2);
    await world.pass(249);
    await world.pass(0);
    expect(world.attempts()).toHaveLength(2);
    await world.pass(1);
    await world.waitForAttempts(4);
    expect(acceptedTexts(hook)).toEqual(['a0', 'a1']);
  });

  it('quick retries write nothing to the store before the event is delivered', async () => {
    const written: AttemptRecord[] = [];
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        recordAttempts(rows) {
          written.push(...rows);
          return real.recordAttempts(rows);
        },
      }),
    });
    const hook = await createReceiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (post.attempt < 4 ? 503 : 200));
    await world.receive(id, 'a', 'a0');
    for (const [n, pause] of [50, 250, 1_000].entries()) {
      await world.waitForAttempts(n + 1);
      await world.pass(pause);
    }
    await world.waitForAttempts(4);
    await world.dispatcher.flush();
    expect(written).toMatchObject([{ outcome: 'delivered' }]);
  });

  it('the attempts of quick retries are stored when a report is read, and when the process ends', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (post.attempt < 3 ? 503 : 200));
    await world.receive(id, 'a', 'a0');
    await world.waitForAttempts(1);
    const [row] = await world.storage.outbox.listWaitingLanes();
    const storedAttempts = async () => {
      const [delivery] = await world.storage.outbox.listPending(row?.webhookId ?? '', row?.lane ?? 0, 0, 10);
      return delivery?.attempts;
    };
    // A process that crashes now would find this number.
    expect(await storedAttempts()).toBe(0);
    await world.dispatcher.flush();
    expect(await storedAttempts()).toBe(1);
    await world.pass(50);
    await world.waitForAttempts(2);
    await world.restart();
    expect(await storedAttempts()).toBe(2);
    await world.pass(SECOND);
    expect((await world.waitForAttempts(3)).at(-1)).toMatchObject({ attempt: 3, code: 200 });
    expect(acceptedTexts(hook)).toEqual(['a0']);
  });
});

describe('receivers that fail one request in five', () => {
  /** Creates a generator of random numbers (mulberry32), 0 ≤ n < 1. The same seed gives the same numbers. */
  function createRandom(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  it('a receiver that fails one request in five does not open its breaker in a million requests', () => {
    const random = createRandom(8);
    const endpoint = new ReceiverHealth('hook', 'shop');
    const lane = endpoint.laneOf(0);
    let longest = 0;
    endpoint.recordSuccess(1);
    for (let now = 1; now < 1_000_000 && endpoint.probeAt === null; now++) {
      if (random() < 0.2) endpoint.recordFailure(lane, { at: now + 50, now, pausesReceiver: false, isRejected: false });
      else endpoint.recordSuccess(now);
      longest = Math.max(longest, endpoint.failures);
    }
    expect(endpoint.probeAt).toBeNull();
    expect(endpoint.totals.receiverFailures).toBeGreaterThan(190_000);
    expect(longest).toBeGreaterThan(5);
  });

  it('a receiver that fails one request in five gets every chat in order, without pauses of the schedule', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const random = createRandom(12);
    hook.answer((post) => (post.attempt < 4 && random() < 0.2 ? 500 : 200));
    for (let n = 0; n < 50; n++) for (const chat of CHATS) await world.receive(id, chat, `${chat}${n}`);
    const startedAt = world.clock.now();
    while (acceptedTexts(hook).length < 300) await world.pass(10);
    expect(world.clock.now() - startedAt).toBeLessThan(60 * SECOND);
    for (const chat of CHATS) {
      const texts = acceptedTexts(hook).filter((text) => text.startsWith(chat));
      expect(texts).toEqual(Array.from({ length: 50 }, (_, n) => `${chat}${n}`));
    }
    expect(hook.posts.length).toBeGreaterThan(330);
    expect(world.log.filter(({ msg }) => msg === 'webhook.paused')).toEqual([]);
  });
});

describe('dead receivers', () => {
  it('a dead receiver gets a few quick retries, then only probes, also right after successful deliveries', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    await world.receive(id, 'a', 'before');
    await hook.next(hasText('before'));
    await world.waitForAttempts(1);
    hook.answer(() => 500);
    for (let n = 0; n < 20; n++) for (const chat of CHATS) await world.receive(id, chat, `${chat}${n}`);
    while (world.dispatcher.breakers().open === 0) await world.pass(20);
    const paused = world.log.filter(({ msg }) => msg === 'webhook.paused');
    expect(paused).toMatchObject([{ failures: 10, code: 500 }]);
    const openedAt = world.clock.now();
    // No request is in flight after pass(), so the expected requests are the probes after 5, 15, 30 and 60 s.
    const expectedPosts = hook.posts.length + 4;
    while (hook.posts.length < expectedPosts) await world.pass(SECOND);
    expect(world.clock.now() - openedAt).toBeGreaterThanOrEqual(110 * SECOND);
    await world.waitForAttempts(expectedPosts);
    // The attempts of quick retries are stored, although the deliveries are no longer in memory.
    await world.dispatcher.flush();
    const filter = { instance: id, states: ['waiting'] as const, limit: 200 };
    const rows = await world.storage.outbox.list(world.subscriptions.findMain(id)?.id ?? '', filter);
    expect(rows.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(expectedPosts - 1);
  });
});
