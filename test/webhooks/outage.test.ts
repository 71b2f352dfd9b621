// A receiver that refuses everything, as with an outdated secret: nothing is given up, and an event that is to blame is still found.
import { describe, expect, it } from 'vitest';
import { createWorld, is, receiver, taken } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Deliveries that were given up. */
async function dead(world: Awaited<ReturnType<typeof createWorld>>, id: string): Promise<number> {
  await world.dispatcher.flush();
  return (await world.storage.outbox.depth(world.subscriptions.findMain(id)?.id ?? '')).dead;
}

describe.each([401, 403, 400, 404, 405, 413, 415, 422, 302])('a receiver that answers %i to everything', (status) => {
  it('a receiver that rejects everything is treated as down: events wait in order, the breaker opens, and all are delivered when it recovers', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    const webhookId = world.subscriptions.findMain(id)?.id ?? '';
    await world.receive(id, 'chat 0', 'before');
    await hook.next(is('before'));
    await world.pass(HOUR);
    hook.answer(() => status);
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.attempted(n + 2);
    }
    expect(world.dispatcher.healthOf(webhookId)).toMatchObject({
      ...{ failures: 5, pausedUntil: world.clock.now() + 5 * SECOND, lastFailure: { status, error: null } },
    });
    expect(world.dispatcher.breakers()).toEqual({ open: 1, halfOpen: 0 });
    const paused = world.log.filter(({ msg }) => msg === 'webhook.paused');
    expect(paused).toMatchObject([{ instance: 'id-shop', webhook: webhookId, failures: 5, code: status }]);
    for (let n = 5; n < 40; n++) await world.receive(id, `chat ${n % 5}`, `${n}`);
    const began = world.clock.now();
    for (let probes = 1; world.clock.now() - began < 6 * HOUR; probes++) {
      await world.pass(5 * MINUTE);
      await world.attempted(6 + probes);
    }
    expect(await dead(world, id)).toBe(0);
    expect(world.dispatcher.healthOf(webhookId).failures).toBeGreaterThan(70);
    hook.answer(() => 200);
    while (taken(hook).length < 41) await world.pass(10 * SECOND);
    for (let chat = 0; chat < 5; chat++) {
      const texts = taken(hook).filter((text) => text !== 'before' && Number(text) % 5 === chat);
      expect(texts).toEqual(Array.from({ length: 8 }, (_, n) => `${n * 5 + chat}`));
    }
    await world.dispatcher.stop();
    expect(world.dispatcher.healthOf(webhookId)).toMatchObject({ failures: 0, pausedUntil: null, failingSince: null });
  });
});

describe('a receiver that rejects everything', () => {
  it('a rejected chat is retried by the schedule, and its events expire', async () => {
    const [world, hook] = [await createWorld({ options: { maxAge: 2 * HOUR } }), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 401);
    for (const text of ['first', 'second']) await world.receive(id, '15550002', text);
    for (const [n, pause] of [5, 15, 30, 60, 120].entries()) {
      await world.attempted(n + 1);
      expect(world.dispatcher.breakers().open).toBe(n < 4 ? 0 : 1);
      await world.pass(pause * SECOND - 1);
      expect(world.attempts()).toHaveLength(n + 1);
      await world.pass(1);
    }
    await world.attempted(6);
    const began = world.clock.now();
    while (world.clock.now() - began < HOUR) await world.pass(MINUTE);
    expect(await dead(world, id)).toBe(0);
    while (world.clock.now() - began < 2 * HOUR) await world.pass(MINUTE);
    expect(await dead(world, id)).toBe(2);
    expect(taken(hook)).toEqual([]);
  });

  it('successful deliveries before the first rejection do not prove that the receiver accepts other events', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    const gate = Promise.withResolvers<number>();
    hook.answer((post) => (is('on its way')(post) ? gate.promise : 403));
    await world.receive(id, 'chat 1', 'on its way');
    await world.receive(id, 'chat 0', 'refused');
    await world.attempted(1);
    gate.resolve(200);
    await world.attempted(2);
    const began = world.clock.now();
    while (world.clock.now() - began < HOUR) await world.pass(10 * SECOND);
    expect(await dead(world, id)).toBe(0);
    hook.answer(() => 200);
    while (!taken(hook).includes('refused')) await world.pass(10 * SECOND);
  });

  it('a webhook whose receiver rejects everything is disabled after five days', async () => {
    const [world, hook] = [await createWorld({ options: { maxAge: 1_000 * HOUR } }), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 401);
    await world.receive(id, '15550002', 'kept');
    for (let hours = 0; hours < 130; hours++) await world.pass(HOUR);
    expect(world.log.find(({ msg }) => msg === 'webhook.disabled')).toMatchObject({ reason: 'failing' });
    expect(await dead(world, id)).toBe(0);
  });
});

describe('an event that is rejected again and again', () => {
  it('a rejected event does not delay events of other chats, though only it was tried', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 400 : 200));
    await world.receive(id, 'chat 0', 'poison');
    for (const [n, pause] of [5, 15, 30, 60].entries()) {
      await world.attempted(n + 1);
      await world.pass(pause * SECOND);
    }
    await world.attempted(5);
    expect(world.dispatcher.breakers()).toEqual({ open: 1, halfOpen: 0 });
    await world.receive(id, 'chat 1', 'other');
    await hook.next(is('other'));
    await world.attempted(6);
    expect(world.dispatcher.breakers()).toEqual({ open: 0, halfOpen: 0 });
  });

  it('a rejected event among events that waited through an outage is dead, and no other event is', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 401);
    for (let n = 0; n < 24; n++) await world.receive(id, `chat ${n % 3}`, n === 3 ? 'poison' : `${n}`);
    const began = world.clock.now();
    while (world.clock.now() - began < HOUR) await world.pass(10 * SECOND);
    hook.answer((post) => (is('poison')(post) ? 422 : 200));
    while (!taken(hook).includes('21')) {
      await world.pass(10 * SECOND);
      if (world.clock.now() - began > HOUR + 5 * MINUTE) await world.receive(id, 'chat 1', 'later');
    }
    expect(new Set(taken(hook)).size).toBe(24);
    expect(taken(hook).filter((text) => Number(text) % 3 === 0)).toEqual(['0', '6', '9', '12', '15', '18', '21']);
    expect(await dead(world, id)).toBe(1);
  });
});

describe('a clock that is set back during an outage of the receiver', () => {
  it.each([
    ['retries', 6],
    ['a pause of the receiver', 2],
  ])('a clock that is set back does not prolong %s', async (what, count) => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    const headers = { 'Retry-After': '3600' };
    hook.answer(() => (what === 'retries' ? 503 : { status: 503, headers }));
    await world.receive(id, 'chat 0', 'late');
    for (let n = 1; n < count; n++) {
      await world.attempted(n);
      await world.pass(HOUR);
    }
    await world.attempted(count);
    hook.answer(() => 200);
    await world.pass(0);
    world.clock.setBack(24 * HOUR);
    await world.pass(HOUR);
    await hook.next(({ status }) => status === 200);
    expect(taken(hook)).toEqual(['late']);
  });

  it('a clock that is set back does not prolong retries after a restart', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 429);
    await world.receive(id, 'chat 0', 'late');
    await world.attempted(1);
    hook.answer(() => 200);
    await world.dispatcher.stop();
    world.clock.setBack(24 * HOUR);
    await world.restart();
    await hook.next(({ status }) => status === 200);
    expect(taken(hook)).toEqual(['late']);
  });
});
