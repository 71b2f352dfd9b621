import { describe, expect, it } from 'vitest';
import { createWorld, is, receiver, taken, until } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('a failing receiver', () => {
  it('a failing receiver is retried after 50 ms, 250 ms, 1 s, 5 s, 15 s, 30 s, 1 min, 2 min and then every 5 min, until it answers', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 500);
    await world.receive(id, '15550002', 'hello');
    for (const [n, pause] of [0.05, 0.25, 1, 5, 15, 30, 60, 120, 300, 300].entries()) {
      await world.attempted(n + 1);
      await world.pass(pause * SECOND - 1);
      expect(world.attempts()).toHaveLength(n + 1);
      await world.pass(1);
    }
    // The last attempt is on its way: this decides its answer.
    hook.answer(() => 200);
    const attempts = await world.attempted(11);
    expect(attempts.map((attempt) => attempt.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(attempts.at(-1)).toMatchObject({ code: 200, next: 'delivered' });
  });

  it('a receiver that sends Retry-After gets no request before that time', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) =>
      post.attempt === 1 && is('one')(post) ? { status: 429, headers: { 'retry-after': '120' } } : 200,
    );
    await world.receive(id, 'chat 1', 'one');
    await world.attempted(1);
    for (const chat of ['chat 1', 'chat 2', 'chat 3', 'chat 4']) await world.receive(id, chat, `later in ${chat}`);
    await world.pass(120 * SECOND - 1);
    await world.pass(0);
    expect(hook.posts).toHaveLength(1);
    expect(world.dispatcher.healthOf(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject({
      failures: 1,
      pausedUntil: expect.any(Number),
    });
    await world.pass(1);
    await world.attempted(6);
    expect(taken(hook)).toHaveLength(5);
  });

  it('a dead receiver costs no memory, and gets everything in order when it recovers', async () => {
    let held = 0;
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        async pending(...args) {
          const rows = await real.pending(...args);
          held += rows.length;
          return rows;
        },
      }),
    });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.attempted(n + 1);
    }
    expect(world.log.filter((line) => line.msg === 'webhook.paused')).toHaveLength(1);
    expect(world.dispatcher.breakers()).toEqual({ open: 1, halfOpen: 0 });
    held = 0;
    for (let n = 5; n < 500; n++) await world.receive(id, `chat ${n % 5}`, `${n}`);
    await world.pass(0);
    expect(held).toBe(0);
    expect(world.attempts()).toHaveLength(5);
    expect(world.clock.timers).toBeLessThanOrEqual(2);
    hook.answer(() => 200);
    await until(world, hook, '499');
    await world.attempted(505);
    for (let chat = 0; chat < 5; chat++) {
      const texts = taken(hook).filter((text) => Number(text) % 5 === chat);
      expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `${n * 5 + chat}`));
    }
    expect(world.dispatcher.breakers()).toEqual({ open: 0, halfOpen: 0 });
  });

  it('a dead receiver is probed with one event at a time', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 'close');
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.attempted(n + 1);
    }
    for (const [n, pause] of [5, 15, 30].entries()) {
      await world.pass(pause * SECOND);
      await world.attempted(6 + n);
    }
    await world.pass(0);
    expect(world.attempts()).toHaveLength(8);
  });

  it('a dead or slow receiver does not delay the webhook of another instance', async () => {
    const [world, dead, slow, hook] = [await createWorld(), await receiver(), await receiver(), await receiver()];
    await dead.stop();
    slow.answer(() => new Promise(() => {}));
    const [a, b, c] = [
      await world.subscribe('dead', dead.url),
      await world.subscribe('slow', slow.url),
      await world.subscribe('shop', hook.url),
    ];
    for (let n = 0; n < 20; n++) for (const id of [a, b, c]) await world.receive(id, `chat ${n}`, `${n}`);
    await hook.next(() => taken(hook).length === 20);
    expect(slow.posts.length).toBeLessThanOrEqual(8);
  });

  it('a request that exceeds the timeout is aborted and retried', async () => {
    // Long enough for the second attempt on a busy machine.
    const world = await createWorld({ options: { timeout: 1_500 } });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (post.attempt === 1 ? new Promise(() => {}) : 200));
    await world.receive(id, '15550002', 'hello');
    expect(await world.attempted(1)).toMatchObject([{ code: 'ETIMEDOUT' }]);
    await world.pass(5 * SECOND);
    expect(await world.attempted(2)).toMatchObject([{}, { code: 200, next: 'delivered' }]);
  });

  it('an event for a failing receiver becomes a dead letter only after the expiry', async () => {
    const world = await createWorld({ options: { maxAge: 60 * MINUTE } });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'old');
    await world.attempted(1);
    hook.answer(() => 200);
    world.clock.advance(1);
    await world.dispatcher.stop();
    world.clock.advance(61 * MINUTE);
    await world.restart();
    await world.receive(id, '15550002', 'new');
    await hook.next(is('new'));
    expect(taken(hook)).toEqual(['new']);
    await world.attempted(2);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.depth(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject({
      waiting: 0,
      dead: 1,
    });
  });
});
