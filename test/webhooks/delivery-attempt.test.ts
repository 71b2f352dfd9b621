import { describe, expect, it } from 'vitest';
import { createWorld, is, received, receiver, taken } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Passes the pauses after the first attempts of a delivery that is rejected, and waits for the attempt after each.
 * `before`: the number of attempts so far. The attempt after the next pause can prove that the event is at fault.
 */
async function repeatAttempts(world: Awaited<ReturnType<typeof createWorld>>, before: number): Promise<void> {
  for (const [n, pause] of [5, 15, 30, 60, 120].entries()) {
    await world.pass(pause * SECOND);
    await world.attempted(before + n + 1);
  }
}

describe('a rejected event', () => {
  it('a rejected event is tried three times (now, after 5 s, after 5 min) while others are delivered, then it is dead and its chat continues', async () => {
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

  it('a rejected event is dead after 5 min when nothing else is tried and the next event of its chat is delivered', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 422 : 200));
    for (const text of ['before', 'poison', 'after', 'last']) await world.receive(id, '15550002', text);
    await world.attempted(2);
    const began = world.clock.now();
    await repeatAttempts(world, 2);
    expect(taken(hook)).toEqual(['before']);
    await world.pass(70 * SECOND);
    await hook.next(is('last'));
    expect(world.clock.now() - began).toBe(5 * MINUTE);
    expect(taken(hook)).toEqual(['before', 'after', 'last']);
    expect(hook.posts.filter(is('poison'))).toHaveLength(7);
    expect(world.dispatcher.healthOf(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject({ failingSince: null });
  });

  it('the next event that proves a rejection is reported with the status of its own response', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 422 : 202));
    for (const text of ['poison', 'after']) await world.receive(id, '15550002', text);
    await world.attempted(1);
    await repeatAttempts(world, 1);
    await world.pass(70 * SECOND);
    await hook.next(is('after'));
    const attempts = await world.attempted(8);
    expect(attempts.at(-1)).toMatchObject({ code: 422, next: 'dead' });
    expect(world.dispatcher.deliveryLog.of(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject([
      { status: 202 },
    ]);
  });

  it.each([
    ['delivered', 200, ['poison', 'last']],
    ['refused', 422, ['poison', 'after', 'last']],
  ])('a webhook that is changed while the next event is tried gets the rejected event at once when the next one is %s', async (_, answer, expected) => {
    const [world, old, fresh] = [await createWorld(), await receiver(), await receiver()];
    const id = await world.subscribe('shop', old.url);
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<number>();
    let rejection = 422;
    old.answer((post) => {
      if (is('poison')(post)) return rejection;
      asked.resolve();
      return gate.promise;
    });
    for (const text of ['poison', 'after', 'last']) await world.receive(id, '15550002', text);
    await world.attempted(1);
    await repeatAttempts(world, 1);
    rejection = 410;
    await world.pass(70 * SECOND);
    await asked.promise;
    await world.subscriptions.setMain(id, { enabled: true, url: fresh.url });
    gate.resolve(answer);
    await fresh.next(is('last'));
    expect(taken(fresh)).toEqual(expected);
    expect(world.subscriptions.findMain(id)).toMatchObject({ enabled: true, url: fresh.url });
  });

  it('the log line of an event has the duration of its own request, not that of the next event', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => {
      if (is('poison')(post)) return 422;
      void world.clock.advance(2 * SECOND);
      return 200;
    });
    for (const text of ['poison', 'after']) await world.receive(id, '15550002', text);
    await world.attempted(1);
    await repeatAttempts(world, 1);
    await world.pass(70 * SECOND);
    await hook.next(is('after'));
    expect((await world.attempted(8)).slice(-2)).toMatchObject([
      { code: 200, ms: 2 * SECOND },
      { code: 422, ms: 0 },
    ]);
  });

  it('a rejected event delays only its own lane', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 400 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.attempted(1);
    for (let n = 1; n < 8; n++) await world.receive(id, `chat ${n}`, `${n}`);
    await hook.next(() => taken(hook).length >= 6);
    expect(world.attempts().filter((attempt) => attempt.code === 400)).toHaveLength(1);
  });

  it('an event that fails for long while all others are delivered is dead', async () => {
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

describe('an event with a server error', () => {
  it('an event waits with its whole chat while the receiver fails for every event', async () => {
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

  it('a failing event keeps its pauses however many other events are delivered', async () => {
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

  it('a failing event is dead after a long time when the next event of its chat is delivered right after its failure', async () => {
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
    const dead = await world.storage.outbox.list(world.subscriptions.findMain(id)?.id ?? '', filter);
    expect(dead).toMatchObject([{ lastStatus: 500, lastError: 'failed with 500 while others succeeded' }]);
  });
});

describe('a receiver that answers 410', () => {
  it('an event without quick retries is dead after maxAttempts attempts', async () => {
    const [world, hook] = [await createWorld({ options: { maxAttempts: 3 } }), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 429);
    await world.receive(id, '15550002', 'hello');
    for (const [n, pause] of [5, 15].entries()) {
      await world.attempted(n + 1);
      await world.pass(pause * SECOND);
    }
    expect((await world.attempted(3)).at(-1)).toMatchObject({ attempt: 3, next: 'dead' });
  });

  it('an event has all its attempts when the event before it was deleted with its instance', async () => {
    const hook = await receiver();
    const global = { url: hook.url, events: [], byEvents: false };
    const world = await createWorld({ options: { maxAttempts: 3 }, global });
    const [a, b] = [
      await world.subscribe('a', '', { enabled: false }),
      await world.subscribe('b', '', { enabled: false }),
    ];
    hook.answer(() => ({ status: 503, headers: { 'retry-after': '60' } }));
    await world.receive(a, '15550002', 'of a');
    for (const n of [1, 2]) {
      await world.attempted(n);
      if (n === 1) await world.pass(MINUTE);
    }
    await world.dispatcher.flush();
    await world.storage.instances.delete(a);
    world.subscriptions.forget(a);
    await world.receive(b, '15550002', 'of b');
    await world.pass(MINUTE);
    expect((await world.attempted(3)).slice(2)).toMatchObject([{ instance: b, attempt: 1, next: expect.any(String) }]);
    await world.dispatcher.flush();
    expect(await world.storage.outbox.depth('global')).toMatchObject({ waiting: 1, dead: 0 });
  });

  it('410 disables the webhook; waiting deliveries are kept and sent when it is enabled again', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 410);
    for (const text of ['gone', 'kept']) await world.store(id, [received(text)]);
    world.dispatcher.wake(id);
    await world.attempted(1);
    await world.pass(0);
    expect(world.subscriptions.findMain(id)?.enabled).toBe(false);
    expect((await world.storage.webhooks.list())[0]?.enabled).toBe(false);
    expect(world.log.find(({ msg }) => msg === 'webhook.disabled')).toMatchObject({ reason: 'gone' });
    hook.answer(() => 200);
    await world.subscriptions.setMain(id, { enabled: true, url: hook.url });
    await hook.next(is('kept'));
    expect(taken(hook)).toEqual(['kept']);
  });
});

describe('an event with an unprocessable body', () => {
  it('an event with an unprocessable body is dead at once, and the events behind it are delivered', async () => {
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
    const webhook = world.subscriptions.findMain(id)?.id ?? '';
    const dead = await world.storage.outbox.list(webhook, { instance: id, states: ['dead'], limit: 5 });
    expect(dead).toMatchObject([{ lastStatus: null, lastError: 'UNPROCESSABLE' }]);
  });
});
