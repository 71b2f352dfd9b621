import { describe, expect, it } from 'vitest';
import { acceptedTexts, createReceiver, hasText } from '../support/dispatcher-world.ts';
import { createWebhookWorld, text } from './webhook-world.ts';

const MINUTE = 60_000;

describe('replays', () => {
  it('a replay delivers the events of its period again, with the same ids, in order, and before newer events', async () => {
    const [world, hook] = [await createWebhookWorld(), await createReceiver()];
    const id = await world.create('shop', hook.url);
    const at: number[] = [];
    for (const words of ['one', 'two', 'three', 'four']) {
      await world.report(id, text('a', words));
      at.push(world.clock.now());
      await world.pass(MINUTE);
    }
    await world.waitForAttempts(4);
    const first = hook.posts.map((post) => post.headers['webhook-id']);
    hook.answer((post) => (hasText('five')(post) ? 503 : 200));
    await world.report(id, text('a', 'five'));
    await world.waitForAttempts(5);
    expect(await world.webhookService.replay(id, { since: at[1], until: at[2] })).toMatchObject({ queued: 2 });
    await world.waitForAttempts(7);
    expect(acceptedTexts(hook)).toEqual(['one', 'two', 'three', 'four', 'two', 'three']);
    expect(hook.posts.slice(5).map((post) => post.headers['webhook-id'])).toEqual(first.slice(1, 3));
    expect(await world.webhookService.replay(id, { ids: [String(first[0]), 'evt_unknown'] })).toMatchObject({
      queued: 1,
    });
  });

  it('a replay queues dead letters again, with all attempts', async () => {
    const [world, hook] = [await createWebhookWorld(), await createReceiver()];
    const id = await world.create('shop', hook.url);
    hook.answer((post) => (hasText('bad')(post) ? 422 : 200));
    await world.report(id, text('a', 'bad'), text('a', 'good'));
    await world.waitForAttempts(1);
    await world.pass(5_000);
    await world.waitForAttempts(2);
    await world.pass(5 * MINUTE);
    await world.waitForAttempts(4);
    const { deliveries, endpoints } = await world.webhookService.reportDeliveries(id, { state: 'dead', limit: 10 });
    expect(deliveries).toMatchObject([{ state: 'dead', attempts: 3, lastStatus: 422, settledAt: world.clock.now() }]);
    expect(endpoints).toMatchObject([{ waiting: 0, dead: 1, failures: 0, failingSince: null, lastFailure: null }]);
    hook.answer(() => 200);
    expect(await world.webhookService.replay(id, { dead: true })).toMatchObject({ queued: 1 });
    await world.waitForAttempts(5);
    expect(acceptedTexts(hook)).toEqual(['good', 'bad']);
    expect(await world.webhookService.replay(id, { dead: true })).toEqual({ queued: 0 });
    expect(
      (await world.webhookService.reportDeliveries(id, { state: 'delivered', limit: 10 })).deliveries,
    ).toHaveLength(2);
  });

  it('a replay queues events only for webhooks that are enabled and subscribed to the events now', async () => {
    const [world, hook] = [await createWebhookWorld({ eventLog: 'always' }), await createReceiver()];
    const id = await world.create('shop', hook.url, ['CONNECTION_UPDATE']);
    await world.report(id, text('a', 'not asked for'));
    expect(await world.webhookService.replay(id, { since: 0 })).toEqual({ queued: 0 });
    await world.subscriptions.setMain(id, { enabled: true, url: hook.url });
    expect(await world.webhookService.replay(id, { since: 0 })).toMatchObject({ queued: 1 });
    await world.waitForAttempts(1);
    await world.subscriptions.setMain(id, { enabled: false, url: hook.url });
    expect(await world.webhookService.replay(id, { since: 0 })).toEqual({ queued: 0 });
    await expect(world.webhookService.replay(id, { since: 0, webhookId: 'another' })).rejects.toThrow('endpoint');
  });

  it('a replay above the backlog limit returns the time at which to continue', async () => {
    const [world, hook] = [await createWebhookWorld({ backlog: 10 }), await createReceiver()];
    const id = await world.create('shop', hook.url);
    for (let n = 0; n < 25; n++) {
      await world.report(id, text('a', `${n}`));
      await world.waitForAttempts(n + 1);
      await world.pass(1_000);
    }
    const acceptedBefore = acceptedTexts(hook).length;
    let since: number | undefined = 0;
    let queued = 0;
    for (let count = 25; since !== undefined; ) {
      const replayed: { queued: number; resumeAt?: number } = await world.webhookService.replay(id, { since });
      ({ resumeAt: since } = replayed);
      queued += replayed.queued;
      count += replayed.queued;
      await world.waitForAttempts(count);
    }
    expect(queued).toBe(25);
    expect(acceptedTexts(hook).slice(acceptedBefore)).toEqual(Array.from({ length: 25 }, (_, n) => `${n}`));
  });

  it('a replay continues after a millisecond with more events than the backlog limit', async () => {
    const [world, hook] = [await createWebhookWorld({ backlog: 2, eventLog: 'always' }), await createReceiver()];
    const id = await world.create('shop');
    await world.report(id, ...['1', '2', '3'].map((words) => text('a', words)));
    await world.pass(1_000);
    await world.report(id, text('a', '4'));
    await world.subscriptions.setMain(id, { enabled: true, url: hook.url });
    const first = await world.webhookService.replay(id, { since: 0 });
    await world.waitForAttempts(first.queued);
    const second = await world.webhookService.replay(id, { since: first.resumeAt });
    await world.waitForAttempts(first.queued + second.queued);
    expect(second.resumeAt).toBeUndefined();
    expect(acceptedTexts(hook)).toEqual(['1', '2', '3', '4']);
  });

  it('a replay into a backlog with some of its events queues as many of the others as fit', async () => {
    const [world, hook] = [await createWebhookWorld({ backlog: 3 }), await createReceiver()];
    const id = await world.create('shop', hook.url);
    hook.answer(() => 503);
    await world.report(id, text('a', 'waiting 1'), text('a', 'waiting 2'));
    await world.waitForAttempts(1);
    hook.answer((post) => (hasText('delivered')(post) ? 200 : 503));
    await world.pass(MINUTE);
    const from = world.clock.now();
    await world.report(id, text('b', 'delivered'));
    // The retry after the pause, and the attempt of the new event, whose result the gateway now has.
    await world.waitForAttempts(3);
    expect(acceptedTexts(hook)).toEqual(['delivered']);
    expect(await world.webhookService.replay(id, { since: 0, until: from })).toMatchObject({ queued: 1 });
  });

  it('a replay into a full backlog queues no events and returns the time at which to continue', async () => {
    const [world, hook] = [await createWebhookWorld({ backlog: 2 }), await createReceiver()];
    const id = await world.create('shop', hook.url);
    const deliveredAt = world.clock.now();
    await world.report(id, text('a', 'delivered'));
    await world.waitForAttempts(1);
    await world.pass(MINUTE);
    hook.answer(() => 503);
    await world.report(id, text('a', 'waiting 1'), text('a', 'waiting 2'));
    await world.waitForAttempts(2);
    expect(await world.webhookService.replay(id, { since: 0 })).toEqual({ queued: 0, resumeAt: deliveredAt });
  });

  it('a replay of dead letters above the backlog limit continues with the dead letters of all chats', async () => {
    const [world, hook] = [await createWebhookWorld({ backlog: 1, noRetry: [422] }), await createReceiver()];
    const id = await world.create('shop', hook.url);
    hook.answer(() => 422);
    for (let n = 0; n < 8; n++) {
      await world.report(id, text(`chat ${n}`, `${n}`));
      await world.waitForAttempts(n + 1);
      await world.pass(1_000);
    }
    hook.answer(() => 200);
    let since: number | undefined = 0;
    let queued = 0;
    while (since !== undefined) {
      const replayed: { queued: number; resumeAt?: number } = await world.webhookService.replay(id, {
        dead: true,
        since,
      });
      since = replayed.resumeAt;
      queued += replayed.queued;
      await world.waitForAttempts(8 + queued);
    }
    expect(acceptedTexts(hook).sort()).toEqual(Array.from({ length: 8 }, (_, n) => `${n}`));
  });

  it('a replay of dead letters above the backlog limit reaches all of them, also when they become dead again', async () => {
    const [world, hook] = [await createWebhookWorld({ backlog: 1, noRetry: [422] }), await createReceiver()];
    const id = await world.create('shop', hook.url);
    hook.answer(() => 422);
    const words = Array.from({ length: 8 }, (_, n) => `${n}`);
    for (const [index, word] of words.entries()) {
      await world.report(id, text(`chat ${word}`, word));
      await world.waitForAttempts(index + 1);
      await world.pass(1_000);
    }
    let since: number | undefined = 0;
    let queued = 0;
    for (let count = 0; since !== undefined && count < words.length; count++) {
      const replayed: { queued: number; resumeAt?: number } = await world.webhookService.replay(id, {
        dead: true,
        since,
      });
      since = replayed.resumeAt;
      queued += replayed.queued;
      await world.waitForAttempts(words.length + queued);
    }
    expect(since).toBeUndefined();
    expect(words.every((word) => hook.posts.filter(hasText(word)).length === 2)).toBe(true);
  });
});

it('a replay does not repeat an event that is delivered while the replay runs', async () => {
  const [world, hook] = [await createWebhookWorld({ eventLog: 'always' }), await createReceiver()];
  const id = await world.create('shop', hook.url, ['PRESENCE_UPDATE']);
  // More than one page, so that the replay reads the log again after the event.
  await world.report(id, ...Array.from({ length: 501 }, (_, n) => text('a', `${n}`)));
  const { summaries } = world.storage.events;
  let pages = 0;
  world.storage.events.summaries = async (...args) => {
    if (++pages === 1) {
      await world.report(id, { type: 'presence.update', id: 'a', presences: {} });
      await world.waitForAttempts(1);
    }
    return summaries(...args);
  };
  expect(await world.webhookService.replay(id, { since: 0 })).toEqual({ queued: 0 });
  expect(hook.posts).toHaveLength(1);
});

describe('the list of deliveries', () => {
  it('the list of deliveries pages through waiting, dead and delivered events, newest first', async () => {
    const [world, hook] = [await createWebhookWorld(), await createReceiver()];
    const id = await world.create('shop', hook.url);
    hook.answer((post) => (Number(/number (\d+)/.exec(post.raw)?.[1]) < 12 ? 200 : 503));
    for (let n = 0; n < 20; n++) await world.report(id, text('a', `number ${n}`));
    await world.waitForAttempts(13);
    const failedAt = world.clock.now();
    const listed: [string, string][] = [];
    let cursor: string | undefined;
    do {
      const page = await world.webhookService.reportDeliveries(id, { limit: 7, cursor });
      expect(page.deliveries.length).toBeLessThanOrEqual(7);
      expect(page.endpoints).toMatchObject([{ failures: 1, lastFailure: { status: 503, error: null, at: failedAt } }]);
      listed.push(...page.deliveries.map(({ eventId, state }): [string, string] => [eventId, state]));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    const kept = await world.storage.events.read(id, { after: 0, limit: 50 });
    const states = kept.events.map((event, n): [string, string] => [event.id, n < 12 ? 'delivered' : 'waiting']);
    expect(listed).toEqual(states.reverse());
    await expect(world.webhookService.reportDeliveries(id, { limit: 7, cursor: 'nonsense' })).rejects.toThrow('cursor');
  });

  it('the list of deliveries has a replayed event once: as waiting since the replay, then as delivered', async () => {
    const [world, hook] = [await createWebhookWorld(), await createReceiver()];
    const id = await world.create('shop', hook.url);
    await world.report(id, text('a', 'one'));
    await world.waitForAttempts(1);
    await world.pass(MINUTE);
    const replayedAt = world.clock.now();
    hook.answer(() => 503);
    await world.webhookService.replay(id, { since: 0 });
    await world.waitForAttempts(2);
    expect((await world.webhookService.reportDeliveries(id, { state: 'delivered', limit: 1 })).deliveries).toEqual([]);
    const createdAt = async () =>
      (await world.webhookService.reportDeliveries(id, { limit: 1 })).deliveries.map((delivery) => delivery.createdAt);
    expect(await createdAt()).toEqual([replayedAt]);
    hook.answer(() => 200);
    await world.pass(MINUTE);
    await world.waitForAttempts(3);
    expect(await createdAt()).toEqual([replayedAt]);
  });

  it('the list of deliveries keeps the last fifty successful deliveries', async () => {
    const [world, hook] = [await createWebhookWorld(), await createReceiver()];
    const id = await world.create('shop', hook.url);
    for (let n = 0; n < 80; n++) await world.report(id, text(`${n % 8}`, `number ${n}`));
    await world.waitForAttempts(80);
    expect(
      (await world.webhookService.reportDeliveries(id, { state: 'delivered', limit: 200 })).deliveries,
    ).toHaveLength(50);
  });
});
