import { describe, expect, it } from 'vitest';
import { acceptedTexts, createReceiver, createWorld, hasText, textEvent } from '../support/dispatcher-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Advances the clock by the pauses after the first attempts of a rejected delivery, and waits for the attempt after
 * each pause. `before`: the number of attempts so far. The attempt after the next pause can prove that the receiver
 * rejects only this event.
 */
async function repeatAttempts(world: Awaited<ReturnType<typeof createWorld>>, before: number): Promise<void> {
  for (const [n, pause] of [5, 15, 30, 60, 120].entries()) {
    await world.pass(pause * SECOND);
    await world.waitForAttempts(before + n + 1);
  }
}

describe('rejected events', () => {
  it('a rejected event is dead after three attempts in 5 min if other events are delivered, and its chat continues', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 422 : 200));
    for (const text of ['before', 'poison', 'after']) await world.receive(id, 'chat 0', text);
    await world.waitForAttempts(2);
    await world.receive(id, 'chat 1', 'other 1');
    await world.waitForAttempts(3);
    await world.pass(5 * SECOND);
    await world.waitForAttempts(4);
    await world.receive(id, 'chat 1', 'other 2');
    await world.waitForAttempts(5);
    await world.pass(5 * MINUTE);
    const attempts = await world.waitForAttempts(7);
    expect(attempts.map(({ code, next }) => [code, next === 'delivered' || next === 'dead' ? next : 'retry'])).toEqual([
      [200, 'delivered'],
      [422, 'retry'],
      [200, 'delivered'],
      [422, 'retry'],
      [200, 'delivered'],
      [422, 'dead'],
      [200, 'delivered'],
    ]);
    expect(acceptedTexts(hook)).toEqual(['before', 'other 1', 'other 2', 'after']);
  });

  it('a rejected event is dead after 5 min if no other event is tried and the next event of its chat is delivered', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 422 : 200));
    for (const text of ['before', 'poison', 'after', 'last']) await world.receive(id, '15550002', text);
    await world.waitForAttempts(2);
    const startedAt = world.clock.now();
    await repeatAttempts(world, 2);
    expect(acceptedTexts(hook)).toEqual(['before']);
    await world.pass(70 * SECOND);
    await hook.next(hasText('last'));
    expect(world.clock.now() - startedAt).toBe(5 * MINUTE);
    expect(acceptedTexts(hook)).toEqual(['before', 'after', 'last']);
    expect(hook.posts.filter(hasText('poison'))).toHaveLength(7);
    expect(world.dispatcher.healthOf(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject({ failingSince: null });
  });

  it('the delivery log has the response status of the event whose delivery proves a rejection', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 422 : 202));
    for (const text of ['poison', 'after']) await world.receive(id, '15550002', text);
    await world.waitForAttempts(1);
    await repeatAttempts(world, 1);
    await world.pass(70 * SECOND);
    await hook.next(hasText('after'));
    const attempts = await world.waitForAttempts(8);
    expect(attempts.at(-1)).toMatchObject({ code: 422, next: 'dead' });
    expect(world.dispatcher.deliveryLog.of(world.subscriptions.findMain(id)?.id ?? '')).toMatchObject([
      { status: 202 },
    ]);
  });

  it.each([
    ['delivered', 200, ['poison', 'last']],
    ['refused', 422, ['poison', 'after', 'last']],
  ])('a webhook with a changed URL gets the rejected event immediately, also when the next event at the old URL is %s', async (_, answer, expected) => {
    const [world, oldHook, newHook] = [await createWorld(), await createReceiver(), await createReceiver()];
    const id = await world.subscribe('shop', oldHook.url);
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<number>();
    let rejection = 422;
    oldHook.answer((post) => {
      if (hasText('poison')(post)) return rejection;
      arrived.resolve();
      return gate.promise;
    });
    for (const text of ['poison', 'after', 'last']) await world.receive(id, '15550002', text);
    await world.waitForAttempts(1);
    await repeatAttempts(world, 1);
    rejection = 410;
    await world.pass(70 * SECOND);
    await arrived.promise;
    await world.subscriptions.setMain(id, { enabled: true, url: newHook.url });
    gate.resolve(answer);
    await newHook.next(hasText('last'));
    expect(acceptedTexts(newHook)).toEqual(expected);
    expect(world.subscriptions.findMain(id)).toMatchObject({ enabled: true, url: newHook.url });
  });

  it('the log line of an event has the duration of its own request, not that of the next event', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => {
      if (hasText('poison')(post)) return 422;
      void world.clock.advance(2 * SECOND);
      return 200;
    });
    for (const text of ['poison', 'after']) await world.receive(id, '15550002', text);
    await world.waitForAttempts(1);
    await repeatAttempts(world, 1);
    await world.pass(70 * SECOND);
    await hook.next(hasText('after'));
    expect((await world.waitForAttempts(8)).slice(-2)).toMatchObject([
      { code: 200, ms: 2 * SECOND },
      { code: 422, ms: 0 },
    ]);
  });

  it('a rejected event delays only its own lane', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 400 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.waitForAttempts(1);
    for (let n = 1; n < 8; n++) await world.receive(id, `chat ${n}`, `${n}`);
    await hook.next(() => acceptedTexts(hook).length >= 6);
    expect(world.attempts().filter((attempt) => attempt.code === 400)).toHaveLength(1);
  });

  it('an event that fails for a long time while all others are delivered is dead', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 500 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.receive(id, 'chat 0', 'after');
    let others = 0;
    while (!acceptedTexts(hook).includes('after')) {
      const attemptsBefore = world.attempts().length;
      await world.receive(id, 'chat 1', `other ${others++}`);
      await world.waitForAttempts(attemptsBefore + 1);
      await world.pass(MINUTE);
    }
    const poison = world.attempts().filter((attempt) => attempt.code === 500);
    expect(poison.at(-1)?.next).toBe('dead');
    expect(poison.length).toBeGreaterThanOrEqual(8);
  });
});

describe('events with a server error', () => {
  it('an event waits with its whole chat while the receiver fails for every event', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 500);
    for (const text of ['first', 'second']) await world.receive(id, '15550002', text);
    const startedAt = world.clock.now();
    while (world.clock.now() - startedAt < HOUR) await world.pass(10 * SECOND);
    expect(hook.posts.filter(hasText('second')).length).toBeGreaterThan(0);
    hook.answer(() => 200);
    while (!acceptedTexts(hook).includes('second')) await world.pass(10 * SECOND);
    expect(acceptedTexts(hook)).toEqual(['first', 'second']);
  });

  it('a failing event keeps its pauses however many other events are delivered', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 500 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.waitForAttempts(1);
    for (let n = 0; n < 20; n++) {
      await world.receive(id, 'chat 1', `${n}`);
      await world.waitForAttempts(n + 2);
    }
    expect(hook.posts.filter(hasText('poison'))).toHaveLength(1);
  });

  it('a failing event is dead within two hours when the next event of its chat is delivered right after its failure', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 500 : 200));
    await world.receive(id, 'chat 0', 'poison');
    const startedAt = world.clock.now();
    while (world.clock.now() - startedAt < HOUR) await world.pass(SECOND);
    await world.receive(id, 'chat 0', 'behind it');
    while (!acceptedTexts(hook).includes('behind it')) await world.pass(SECOND);
    expect(world.clock.now() - startedAt).toBeLessThan(2 * HOUR);
    expect(hook.posts.slice(0, 16).every(hasText('poison'))).toBe(true);
    await world.receive(id, 'chat 0', 'the next');
    while (!acceptedTexts(hook).includes('the next')) await world.pass(SECOND);
    expect(acceptedTexts(hook)).toEqual(['behind it', 'the next']);
    await world.dispatcher.stop();
    const filter = { instance: id, states: ['dead'] as const, limit: 5 };
    const dead = await world.storage.outbox.list(world.subscriptions.findMain(id)?.id ?? '', filter);
    expect(dead).toMatchObject([{ lastStatus: 500, lastError: 'failed with 500 while others succeeded' }]);
  });
});

describe('limits of attempts, and responses with status 410', () => {
  it('an event without quick retries is dead after maxAttempts attempts', async () => {
    const [world, hook] = [await createWorld({ options: { maxAttempts: 3 } }), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 429);
    await world.receive(id, '15550002', 'hello');
    for (const [n, pause] of [5, 15].entries()) {
      await world.waitForAttempts(n + 1);
      await world.pass(pause * SECOND);
    }
    expect((await world.waitForAttempts(3)).at(-1)).toMatchObject({ attempt: 3, next: 'dead' });
  });

  it('an event has all its attempts when the event before it was deleted with its instance', async () => {
    const hook = await createReceiver();
    const global = { url: hook.url, events: [], byEvents: false };
    const world = await createWorld({ options: { maxAttempts: 3 }, global });
    const [a, b] = [
      await world.subscribe('a', '', { enabled: false }),
      await world.subscribe('b', '', { enabled: false }),
    ];
    hook.answer(() => ({ status: 503, headers: { 'retry-after': '60' } }));
    await world.receive(a, '15550002', 'of a');
    for (const n of [1, 2]) {
      await world.waitForAttempts(n);
      if (n === 1) await world.pass(MINUTE);
    }
    await world.dispatcher.flush();
    await world.storage.instances.delete(a);
    world.subscriptions.forget(a);
    await world.receive(b, '15550002', 'of b');
    await world.pass(MINUTE);
    expect((await world.waitForAttempts(3)).slice(2)).toMatchObject([
      { instance: b, attempt: 1, next: expect.any(String) },
    ]);
    await world.dispatcher.flush();
    expect(await world.storage.outbox.depth('global')).toMatchObject({ waiting: 1, dead: 0 });
  });

  it('status 410 disables the webhook, and its waiting deliveries are sent when it is enabled again', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 410);
    for (const text of ['gone', 'kept']) await world.store(id, [textEvent(text)]);
    world.dispatcher.wake(id);
    await world.waitForAttempts(1);
    await world.pass(0);
    expect(world.subscriptions.findMain(id)?.enabled).toBe(false);
    expect((await world.storage.webhooks.list())[0]?.enabled).toBe(false);
    expect(world.log.find(({ msg }) => msg === 'webhook.disabled')).toMatchObject({ reason: 'gone' });
    hook.answer(() => 200);
    await world.subscriptions.setMain(id, { enabled: true, url: hook.url });
    await hook.next(hasText('kept'));
    expect(acceptedTexts(hook)).toEqual(['kept']);
  });
});

describe('events with an unprocessable body', () => {
  it('an event with an unprocessable body is dead immediately, and the events after it are delivered', async () => {
    const hook = await createReceiver();
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        listPending: async (...args) =>
          (await real.listPending(...args)).map((row) => (row.body.includes('poison') ? { ...row, body: '{' } : row)),
      }),
    });
    const id = await world.subscribe('shop', hook.url, { chats: { only: ['direct'], except: [] } });
    for (const text of ['before', 'poison', 'after']) await world.receive(id, 'chat 0', text);
    await hook.next(hasText('after'));
    expect(acceptedTexts(hook)).toEqual(['before', 'after']);
    await world.dispatcher.flush();
    const webhook = world.subscriptions.findMain(id)?.id ?? '';
    const dead = await world.storage.outbox.list(webhook, { instance: id, states: ['dead'], limit: 5 });
    expect(dead).toMatchObject([{ lastStatus: null, lastError: 'UNPROCESSABLE' }]);
  });
});
