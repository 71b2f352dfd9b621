import { describe, expect, it } from 'vitest';
import { createWorld, is, received, receiver, taken } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('a refused event', () => {
  it('is tried three times, now, after 5 s and after 5 m, while others are taken, then the chat goes on without it', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 422 : 200));
    for (const text of ['before', 'poison', 'after']) await world.receive(id, 'chat 0', text);
    await world.attempted(2);
    await world.receive(id, 'chat 1', 'other 1');
    await world.attempted(3);
    await world.pass(5 * SECOND);
    await world.attempted(4);
    await world.receive(id, 'chat 1', 'other 2');
    await world.attempted(5);
    await world.pass(5 * MINUTE);
    const attempts = await world.attempted(7);
    expect(attempts.map(({ code, next }) => [code, next === 'delivered' || next === 'dead' ? next : 'retry'])).toEqual([
      [200, 'delivered'],
      [422, 'retry'],
      [200, 'delivered'],
      [422, 'retry'],
      [200, 'delivered'],
      [422, 'dead'],
      [200, 'delivered'],
    ]);
    expect(taken(hook)).toEqual(['before', 'other 1', 'other 2', 'after']);
  });

  it('is given up after 5 m for the next of its chat, when nothing else is tried and the next is taken', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 422 : 200));
    for (const text of ['before', 'poison', 'after', 'last']) await world.receive(id, '15550002', text);
    await world.attempted(2);
    const began = world.clock.now();
    for (const [n, pause] of [5, 15, 30, 60, 120].entries()) {
      await world.pass(pause * SECOND);
      await world.attempted(n + 3);
    }
    expect(taken(hook)).toEqual(['before']);
    await world.pass(70 * SECOND);
    await hook.next(is('last'));
    expect(world.clock.now() - began).toBe(5 * MINUTE);
    expect(taken(hook)).toEqual(['before', 'after', 'last']);
    expect(hook.posts.filter(is('poison'))).toHaveLength(7);
    expect(world.dispatcher.health(world.subscriptions.find(id)?.id ?? '')).toMatchObject({ failingSince: null });
  });

  it('holds only its own lane meanwhile', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 400 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.attempted(1);
    for (let n = 1; n < 8; n++) await world.receive(id, `chat ${n}`, `${n}`);
    await hook.next(() => taken(hook).length >= 6);
    expect(world.attempts().filter((attempt) => attempt.code === 400)).toHaveLength(1);
  });

  it('is given up when the receiver fails on it for long while it takes all others', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 500 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.receive(id, 'chat 0', 'after');
    let others = 0;
    while (!taken(hook).includes('after')) {
      const made = world.attempts().length;
      await world.receive(id, 'chat 1', `other ${others++}`);
      await world.attempted(made + 1);
      await world.pass(MINUTE);
    }
    const poison = world.attempts().filter((attempt) => attempt.code === 500);
    expect(poison.at(-1)?.next).toBe('dead');
    expect(poison.length).toBeGreaterThanOrEqual(8);
  });
});

describe('an event that the receiver fails on', () => {
  it('waits with all of its chat while the receiver fails on everything', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 500);
    for (const text of ['first', 'second']) await world.receive(id, '15550002', text);
    const began = world.clock.now();
    while (world.clock.now() - began < HOUR) await world.pass(10 * SECOND);
    expect(hook.posts.filter(is('second')).length).toBeGreaterThan(0);
    hook.answer(() => 200);
    while (!taken(hook).includes('second')) await world.pass(10 * SECOND);
    expect(taken(hook)).toEqual(['first', 'second']);
  });

  it('keeps to its pauses however much of the rest succeeds', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 500 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.attempted(1);
    for (let n = 0; n < 20; n++) {
      await world.receive(id, 'chat 1', `${n}`);
      await world.attempted(n + 2);
    }
    expect(hook.posts.filter(is('poison'))).toHaveLength(1);
  });

  it('is given up after long for the next of its chat, when that is taken right behind its failure', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 500 : 200));
    await world.receive(id, 'chat 0', 'poison');
    const started = world.clock.now();
    while (world.clock.now() - started < HOUR) await world.pass(SECOND);
    await world.receive(id, 'chat 0', 'behind it');
    while (!taken(hook).includes('behind it')) await world.pass(SECOND);
    expect(world.clock.now() - started).toBeLessThan(2 * HOUR);
    expect(hook.posts.slice(0, 16).every(is('poison'))).toBe(true);
    await world.receive(id, 'chat 0', 'the next');
    while (!taken(hook).includes('the next')) await world.pass(SECOND);
    expect(taken(hook)).toEqual(['behind it', 'the next']);
    await world.dispatcher.stop();
    const filter = { instance: id, states: ['dead'] as const, limit: 5 };
    const dead = await world.storage.outbox.list(world.subscriptions.find(id)?.id ?? '', filter);
    expect(dead).toMatchObject([{ lastStatus: 500, lastError: 'failed with 500 while others succeeded' }]);
  });
});

describe('a webhook whose receiver answers 410', () => {
  it('is switched off; what waits is kept and comes when it is switched on again', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 410);
    for (const text of ['gone', 'kept']) await world.store(id, [received(text)]);
    world.dispatcher.wake(id);
    await world.attempted(1);
    await world.pass(0);
    expect(world.subscriptions.find(id)?.enabled).toBe(false);
    expect((await world.storage.webhooks.list())[0]?.enabled).toBe(false);
    hook.answer(() => 200);
    await world.subscriptions.set(id, { enabled: true, url: hook.url });
    await hook.next(is('kept'));
    expect(taken(hook)).toEqual(['kept']);
  });
});

describe('an event of which no post can be made', () => {
  it('is given up at once, and what waits behind it is posted', async () => {
    const hook = await receiver();
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        pending: async (...asked) =>
          (await real.pending(...asked)).map((row) => (row.body.includes('poison') ? { ...row, body: '{' } : row)),
      }),
    });
    const id = await world.subscribe('shop', hook.url, { chats: { only: ['direct'], except: [] } });
    for (const text of ['before', 'poison', 'after']) await world.receive(id, 'chat 0', text);
    await hook.next(is('after'));
    expect(taken(hook)).toEqual(['before', 'after']);
    await world.dispatcher.flush();
    const webhook = world.subscriptions.find(id)?.id ?? '';
    const dead = await world.storage.outbox.list(webhook, { instance: id, states: ['dead'], limit: 5 });
    expect(dead).toMatchObject([{ lastStatus: null, lastError: 'UNPROCESSABLE' }]);
  });
});
