// A receiver that rejects all requests, for example because of an outdated secret. Before its expiry, an event becomes a
// dead letter only if the receiver rejects it and accepts others.
import { describe, expect, it } from 'vitest';
import { acceptedTexts, createReceiver, createWorld, hasText } from '../support/dispatcher-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Number of dead letters of the webhook. */
async function countDead(world: Awaited<ReturnType<typeof createWorld>>, id: string): Promise<number> {
  await world.dispatcher.flush();
  return (await world.storage.outbox.depth(world.subscriptions.findMain(id)?.id ?? '')).dead;
}

describe.each([
  401, 403, 400, 404, 405, 413, 415, 422, 302,
])('receivers that respond with %i to all requests', (status) => {
  it('a receiver that rejects all requests is treated as down: its breaker opens, and events wait until it recovers', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const webhookId = world.subscriptions.findMain(id)?.id ?? '';
    await world.receive(id, 'chat 0', 'before');
    await hook.next(hasText('before'));
    await world.pass(HOUR);
    hook.answer(() => status);
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.waitForAttempts(n + 2);
    }
    expect(world.dispatcher.healthOf(webhookId)).toMatchObject({
      ...{ failures: 5, pausedUntil: world.clock.now() + 5 * SECOND, lastFailure: { status, error: null } },
    });
    expect(world.dispatcher.breakers()).toEqual({ open: 1, halfOpen: 0 });
    const paused = world.log.filter(({ msg }) => msg === 'webhook.paused');
    expect(paused).toMatchObject([{ instance: 'id-shop', webhook: webhookId, failures: 5, code: status }]);
    for (let n = 5; n < 40; n++) await world.receive(id, `chat ${n % 5}`, `${n}`);
    const startedAt = world.clock.now();
    for (let probes = 1; world.clock.now() - startedAt < 6 * HOUR; probes++) {
      await world.pass(5 * MINUTE);
      await world.waitForAttempts(6 + probes);
    }
    expect(await countDead(world, id)).toBe(0);
    expect(world.dispatcher.healthOf(webhookId).failures).toBeGreaterThan(70);
    hook.answer(() => 200);
    while (acceptedTexts(hook).length < 41) await world.pass(10 * SECOND);
    for (let chat = 0; chat < 5; chat++) {
      const texts = acceptedTexts(hook).filter((text) => text !== 'before' && Number(text) % 5 === chat);
      expect(texts).toEqual(Array.from({ length: 8 }, (_, n) => `${n * 5 + chat}`));
    }
    await world.dispatcher.stop();
    expect(world.dispatcher.healthOf(webhookId)).toMatchObject({ failures: 0, pausedUntil: null, failingSince: null });
  });
});

describe('receivers that reject all requests', () => {
  it('an event is retried by the schedule while the receiver rejects all requests, and expires at maxAge', async () => {
    const [world, hook] = [await createWorld({ options: { maxAge: 2 * HOUR } }), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 401);
    for (const text of ['first', 'second']) await world.receive(id, '15550002', text);
    for (const [n, pause] of [5, 15, 30, 60, 120].entries()) {
      await world.waitForAttempts(n + 1);
      expect(world.dispatcher.breakers().open).toBe(n < 4 ? 0 : 1);
      await world.pass(pause * SECOND - 1);
      await world.pass(0);
      expect(world.attempts()).toHaveLength(n + 1);
      await world.pass(1);
    }
    await world.waitForAttempts(6);
    const startedAt = world.clock.now();
    while (world.clock.now() - startedAt < HOUR) await world.pass(MINUTE);
    expect(await countDead(world, id)).toBe(0);
    while (world.clock.now() - startedAt < 2 * HOUR) await world.pass(MINUTE);
    expect(await countDead(world, id)).toBe(2);
    expect(acceptedTexts(hook)).toEqual([]);
  });

  it('successful deliveries before the first rejection do not prove that the receiver accepts other events', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const gate = Promise.withResolvers<number>();
    hook.answer((post) => (hasText('on its way')(post) ? gate.promise : 403));
    await world.receive(id, 'chat 1', 'on its way');
    await world.receive(id, 'chat 0', 'refused');
    await world.waitForAttempts(1);
    gate.resolve(200);
    await world.waitForAttempts(2);
    const startedAt = world.clock.now();
    while (world.clock.now() - startedAt < HOUR) await world.pass(10 * SECOND);
    expect(await countDead(world, id)).toBe(0);
    hook.answer(() => 200);
    while (!acceptedTexts(hook).includes('refused')) await world.pass(10 * SECOND);
  });

  it('a webhook whose receiver rejects all requests is disabled after five days', async () => {
    const [world, hook] = [await createWorld({ options: { maxAge: 1_000 * HOUR } }), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 401);
    await world.receive(id, '15550002', 'kept');
    for (let hours = 0; hours < 130; hours++) await world.pass(HOUR);
    expect(world.log.find(({ msg }) => msg === 'webhook.disabled')).toMatchObject({ reason: 'failing' });
    expect(await countDead(world, id)).toBe(0);
  });
});

describe('events that are rejected repeatedly', () => {
  it('a rejected event does not delay events of other chats, even if no other event was tried before', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('poison')(post) ? 400 : 200));
    await world.receive(id, 'chat 0', 'poison');
    for (const [n, pause] of [5, 15, 30, 60].entries()) {
      await world.waitForAttempts(n + 1);
      await world.pass(pause * SECOND);
    }
    await world.waitForAttempts(5);
    expect(world.dispatcher.breakers()).toEqual({ open: 1, halfOpen: 0 });
    await world.receive(id, 'chat 1', 'other');
    await hook.next(hasText('other'));
    await world.waitForAttempts(6);
    expect(world.dispatcher.breakers()).toEqual({ open: 0, halfOpen: 0 });
  });

  it('a rejected event among events that waited through an outage is dead, and no other event is dead', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 401);
    for (let n = 0; n < 24; n++) await world.receive(id, `chat ${n % 3}`, n === 3 ? 'poison' : `${n}`);
    const startedAt = world.clock.now();
    while (world.clock.now() - startedAt < HOUR) await world.pass(10 * SECOND);
    hook.answer((post) => (hasText('poison')(post) ? 422 : 200));
    while (!acceptedTexts(hook).includes('21')) {
      await world.pass(10 * SECOND);
      if (world.clock.now() - startedAt > HOUR + 5 * MINUTE) await world.receive(id, 'chat 1', 'later');
    }
    expect(new Set(acceptedTexts(hook)).size).toBe(24);
    expect(acceptedTexts(hook).filter((text) => Number(text) % 3 === 0)).toEqual([
      '0',
      '6',
      '9',
      '12',
      '15',
      '18',
      '21',
    ]);
    expect(await countDead(world, id)).toBe(1);
  });
});

describe('clocks that are set back during an outage of the receiver', () => {
  it.each([
    ['retries', 6],
    ['a pause of the receiver', 2],
  ])('a clock that is set back does not prolong %s', async (name, count) => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const headers = { 'Retry-After': '3600' };
    hook.answer(() => (name === 'retries' ? 503 : { status: 503, headers }));
    await world.receive(id, 'chat 0', 'late');
    for (let n = 1; n < count; n++) {
      await world.waitForAttempts(n);
      await world.pass(HOUR);
    }
    await world.waitForAttempts(count);
    hook.answer(() => 200);
    await world.pass(0);
    world.clock.setBack(24 * HOUR);
    await world.pass(HOUR);
    await hook.next(({ status }) => status === 200);
    expect(acceptedTexts(hook)).toEqual(['late']);
  });

  it('a clock that is set back does not prolong retries after a restart', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 429);
    await world.receive(id, 'chat 0', 'late');
    await world.waitForAttempts(1);
    hook.answer(() => 200);
    await world.dispatcher.stop();
    world.clock.setBack(24 * HOUR);
    await world.restart();
    await hook.next(({ status }) => status === 200);
    expect(acceptedTexts(hook)).toEqual(['late']);
  });
});
