import { describe, expect, it } from 'vitest';
import { acceptedTexts, createReceiver, createWorld, hasText, passUntilAccepted } from '../support/dispatcher-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('failing receivers', () => {
  it('a failing receiver is retried after 50 ms, 250 ms, 1, 5, 15, 30, 60 and 120 s, and then every 300 s', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 500);
    await world.receive(id, '15550002', 'hello');
    for (const [n, pause] of [0.05, 0.25, 1, 5, 15, 30, 60, 120, 300, 300].entries()) {
      await world.waitForAttempts(n + 1);
      await world.pass(pause * SECOND - 1);
      await world.pass(0);
      expect(world.attempts()).toHaveLength(n + 1);
      await world.pass(1);
    }
    // The last attempt is in flight. This line sets its response.
    hook.answer(() => 200);
    const attempts = await world.waitForAttempts(11);
    expect(attempts.map((attempt) => attempt.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(attempts.at(-1)).toMatchObject({ code: 200, next: 'delivered' });
  });

  it('a receiver that sends Retry-After gets no request before that time', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) =>
      post.attempt === 1 && hasText('one')(post) ? { status: 429, headers: { 'retry-after': '120' } } : 200,
    );
    await world.receive(id, 'chat 1', 'one');
    await world.waitForAttempts(1);
    for (const chat of ['chat 1', 'chat 2', 'chat 3', 'chat 4']) await world.receive(id, chat, `later in ${chat}`);
    await world.pass(120 * SECOND - 1);
    await world.pass(0);
    expect(hook.posts).toHaveLength(1);
    expect(world.dispatcher.healthOf(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject({
      failures: 1,
      pausedUntil: expect.any(Number),
    });
    await world.pass(1);
    await world.waitForAttempts(6);
    expect(acceptedTexts(hook)).toHaveLength(5);
  });

  it('a dead receiver has no deliveries in memory, and gets all events in order when it recovers', async () => {
    let readRows = 0;
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        async listPending(...args) {
          const rows = await real.listPending(...args);
          readRows += rows.length;
          return rows;
        },
      }),
    });
    const hook = await createReceiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.waitForAttempts(n + 1);
    }
    expect(world.log.filter((line) => line.msg === 'webhook.paused')).toHaveLength(1);
    expect(world.dispatcher.breakers()).toEqual({ open: 1, halfOpen: 0 });
    readRows = 0;
    for (let n = 5; n < 500; n++) await world.receive(id, `chat ${n % 5}`, `${n}`);
    await world.pass(0);
    expect(readRows).toBe(0);
    expect(world.attempts()).toHaveLength(5);
    expect(world.clock.timers).toBeLessThanOrEqual(2);
    hook.answer(() => 200);
    await passUntilAccepted(world, hook, '499');
    await world.waitForAttempts(505);
    for (let chat = 0; chat < 5; chat++) {
      const texts = acceptedTexts(hook).filter((text) => Number(text) % 5 === chat);
      expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `${n * 5 + chat}`));
    }
    expect(world.dispatcher.breakers()).toEqual({ open: 0, halfOpen: 0 });
  });

  it('a dead receiver is probed with one event at a time', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 'close');
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.waitForAttempts(n + 1);
    }
    for (const [n, pause] of [5, 15, 30].entries()) {
      await world.pass(pause * SECOND);
      await world.waitForAttempts(6 + n);
    }
    await world.pass(0);
    expect(world.attempts()).toHaveLength(8);
  });

  it('a dead or slow receiver does not delay the webhook of another instance', async () => {
    const [world, dead, slow, hook] = [
      await createWorld(),
      await createReceiver(),
      await createReceiver(),
      await createReceiver(),
    ];
    await dead.stop();
    slow.answer(() => new Promise(() => {}));
    const [a, b, c] = [
      await world.subscribe('dead', dead.url),
      await world.subscribe('slow', slow.url),
      await world.subscribe('shop', hook.url),
    ];
    for (let n = 0; n < 20; n++) for (const id of [a, b, c]) await world.receive(id, `chat ${n}`, `${n}`);
    await hook.next(() => acceptedTexts(hook).length === 20);
    expect(slow.posts.length).toBeLessThanOrEqual(8);
  });

  it('a request that exceeds the timeout is aborted and retried', async () => {
    // This timeout is long enough for the second attempt on a busy machine.
    const world = await createWorld({ options: { timeout: 1_500 } });
    const hook = await createReceiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (post.attempt === 1 ? new Promise(() => {}) : 200));
    await world.receive(id, '15550002', 'hello');
    expect(await world.waitForAttempts(1)).toMatchObject([{ code: 'ETIMEDOUT' }]);
    await world.pass(5 * SECOND);
    expect(await world.waitForAttempts(2)).toMatchObject([{}, { code: 200, next: 'delivered' }]);
  });

  it('an event for a failing receiver becomes a dead letter only after the expiry', async () => {
    const world = await createWorld({ options: { maxAge: 60 * MINUTE } });
    const hook = await createReceiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'old');
    await world.waitForAttempts(1);
    hook.answer(() => 200);
    world.clock.advance(1);
    await world.dispatcher.stop();
    world.clock.advance(61 * MINUTE);
    await world.restart();
    await world.receive(id, '15550002', 'new');
    await hook.next(hasText('new'));
    expect(acceptedTexts(hook)).toEqual(['new']);
    await world.waitForAttempts(2);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.depth(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject({
      waiting: 0,
      dead: 1,
    });
  });
});
