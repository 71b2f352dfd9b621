import { describe, expect, it } from 'vitest';
import { type ReplayProgress, ReplayTracker } from '../../src/webhooks/replay-progress.ts';
import { createReceiver, hasText } from '../support/dispatcher-world.ts';
import { webhook } from '../support/sample-rows.ts';
import { createWebhookWorld, text, type WebhookWorld } from './webhook-world.ts';

/** Creates the instance `shop` with a webhook, and delivers `count` events to it. */
async function createShop(count: number, ...options: Parameters<typeof createWebhookWorld>) {
  const [world, hook] = [await createWebhookWorld(...options), await createReceiver()];
  const id = await world.create('shop', hook.url);
  for (let n = 0; n < count; n++) await world.report(id, text(`${n % 8}`, `number ${n}`));
  await world.waitForAttempts(count);
  return { world, hook, id };
}

/** Opens an event stream. Returns a function that resolves with the next report of a replay. */
async function openProgress(world: WebhookWorld, id: string, options: { ownOnly?: boolean; types?: string[] } = {}) {
  const { ownOnly = false, types = ['replay.progress'] } = options;
  const controller = new AbortController();
  const texts = await world.webhookService.openStream(
    id,
    { after: 'latest', types },
    { field: 'a', signal: controller.signal, ownWebhooksOnly: ownOnly },
  );
  const reader = texts[Symbol.asyncIterator]();
  await reader.next();
  return async () => {
    for (;;) {
      const { done, value } = await reader.next();
      if (done) throw new Error('The stream ended.');
      const block = String(value);
      const [, json] = /^event: replay\.progress\ndata: (.*)\n\n$/.exec(block) ?? [];
      if (json) return JSON.parse(json);
    }
  };
}

const replaysOf = async (world: WebhookWorld, id: string, ownOnly = false) =>
  (await world.webhookService.reportDeliveries(id, { limit: 1, ownWebhooksOnly: ownOnly })).replays;

describe('ReplayTracker', () => {
  /** A tracker, its reports, and a function that starts a replay of one delivery at each webhook. */
  function createTracker() {
    const reports: ReplayProgress[] = [];
    const tracker = new ReplayTracker({
      clock: { now: () => 0 },
      onProgress: (progress) => void reports.push(progress),
    });
    const replay = (webhookIds: readonly string[]) => {
      const run = tracker.start('a');
      for (const id of webhookIds) run.add(webhook(id), [1]);
      run.finish();
      for (const id of webhookIds) tracker.onEnded(id, [1], 'dead');
      return run.id;
    };
    return { tracker, reports, replay };
  }

  it('ReplayTracker reports the exact percentage', () => {
    const { tracker, reports } = createTracker();
    const run = tracker.start('a');
    run.add(webhook('w'), [...Array(100).keys()]);
    run.finish();
    for (let seq = 0; seq < 100; seq++) tracker.onEnded('w', [seq], 'dropped');
    expect(reports.map(({ percent }) => percent)).toEqual([...Array(101).keys()]);
  });

  it('ReplayTracker keeps the last ten ended replays with all their webhooks', () => {
    const { tracker, replay } = createTracker();
    const webhooks = Array.from({ length: 11 }, (_, n) => `w${n}`);
    const ids = Array.from({ length: 12 }, () => replay(webhooks));
    const kept = tracker.progressOf('a').map(({ id, webhook: { id: webhookId } }) => `${id} ${webhookId}`);
    expect(kept).toEqual(
      ids
        .slice(2)
        .flatMap((id) => webhooks.map((webhookId) => `${id} ${webhookId}`))
        .reverse(),
    );
  });

  it('ReplayTracker keeps all webhooks of a replay while one of them has waiting deliveries', () => {
    const { tracker, replay } = createTracker();
    const run = tracker.start('a');
    for (const id of ['fast', 'slow']) run.add(webhook(id), [2]);
    run.finish();
    tracker.onEnded('fast', [2], 'dead');
    for (let n = 0; n < 12; n++) replay(['w']);
    expect(tracker.progressOf('a').filter(({ id }) => id === run.id)).toHaveLength(2);
  });

  it('ReplayTracker does not track deliveries that a replay queues after its instance is forgotten', () => {
    const { tracker, reports } = createTracker();
    const run = tracker.start('a');
    const other = tracker.start('b');
    run.add(webhook('w'), [1]);
    other.add(webhook('x'), [1]);
    tracker.forget('a');
    run.add(webhook('w'), [2]);
    run.add(webhook('v'), [3]);
    run.finish();
    expect(tracker.progressOf('a')).toEqual([]);
    tracker.onEnded('w', [1, 2], 'dropped');
    tracker.onWebhookRemoved('v');
    expect(reports).toEqual([]);
    other.finish();
    expect(reports).toMatchObject([{ id: other.id, queued: 1 }]);
  });
});

describe('the progress of replays', () => {
  it('replay progress counts only the queued deliveries, and reports each percentage once', async () => {
    const { world, hook, id } = await createShop(8);
    const next = await openProgress(world, id);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    hook.answer(async (post) => {
      if (!hasText('number 0')(post) && !hasText('new')(post)) await isReleased;
      return 200;
    });
    const replayed = await world.webhookService.replay(id, { since: 0 });
    expect(replayed).toEqual({ id: expect.stringMatching(/^rpl_[0-9a-f]{32}$/), queued: 8 });
    const first = await next();
    expect(first).toEqual({
      event: 'replay.progress',
      instance: id,
      data: {
        ...{ id: replayed.id, endpoint: { id: expect.any(String), url: hook.url }, startedAt: expect.any(String) },
        ...{ queued: 8, delivered: 0, dead: 0, dropped: 0, progress: 0, done: false },
      },
      date_time: new Date(world.clock.now()).toISOString(),
    });
    expect((await next()).data).toMatchObject({ delivered: 1, progress: 12, done: false });
    await world.report(id, text('0', 'new'));
    await world.waitForAttempts(10);
    expect(await replaysOf(world, id)).toMatchObject([{ id: replayed.id, queued: 8, delivered: 1, progress: 12 }]);
    release();
    const values: number[] = [];
    for (let done = false; !done; ) {
      const { data } = await next();
      values.push(data.progress);
      ({ done } = data);
      if (done) expect(data).toMatchObject({ queued: 8, delivered: 8, progress: 100 });
    }
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });

  it('replay progress counts expired, dropped and removed deliveries', async () => {
    const { world, hook, id } = await createShop(20, { backlog: 20, noRetry: [422] });
    hook.answer((post) => (hasText('number 3')(post) ? 422 : 200));
    await world.webhookService.replay(id, { since: 0 });
    await world.waitForAttempts(40);
    await expect
      .poll(() => replaysOf(world, id))
      .toMatchObject([{ delivered: 19, dead: 1, progress: 100, done: true }]);

    hook.answer(() => 503);
    await world.webhookService.replay(id, { since: 0 });
    await world.waitForAttempts(45);
    for (let n = 0; n < 4; n++) await world.report(id, text('a', `newer ${n}`));
    await world.pass(0);
    await expect.poll(async () => (await replaysOf(world, id))[0]?.dropped).toBeGreaterThan(0);
    const next = await openProgress(world, id);
    const [webhook] = world.subscriptions.listOwnAndGlobal(id);
    await world.subscriptions.remove(id, webhook?.id ?? '');
    expect((await next()).data).toMatchObject({ queued: 20, delivered: 0, dropped: 20, done: true });
  });

  it('a replay at a disabled webhook ends when its deliveries expire', async () => {
    const { world, hook, id } = await createShop(3, { maxAge: 60_000 });
    const next = await openProgress(world, id);
    hook.answer(() => 503);
    await world.webhookService.replay(id, { since: 0 });
    expect((await next()).data).toMatchObject({ progress: 0 });
    await world.subscriptions.setMain(id, { enabled: false, url: hook.url });
    await world.pass(90_000);
    expect((await next()).data).toMatchObject({ queued: 3, dead: 3, done: true });
  });

  it('the last ten ended replays are kept, and no replay of a deleted instance', async () => {
    const { world, id } = await createShop(1);
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) {
      ids.push((await world.webhookService.replay(id, { since: 0 })).id ?? '');
      await world.waitForAttempts(n + 2);
    }
    await expect
      .poll(async () => (await replaysOf(world, id)).map((replay) => replay.id))
      .toEqual(ids.slice(2).reverse());
    world.webhookService.forget(id);
    expect(await replaysOf(world, id)).toEqual([]);
  });

  it('replay progress of the global webhook goes only to streams that are not limited to own webhooks', async () => {
    const other = await createReceiver();
    const { world, id } = await createShop(1, {}, other.url);
    // One attempt of each webhook. A replay does not queue a delivery that still waits.
    await world.waitForAttempts(2);
    const [all, own] = [await openProgress(world, id), await openProgress(world, id, { ownOnly: true })];
    await world.webhookService.replay(id, { since: 0 });
    const values = new Set<string>();
    while (values.size < 2) values.add((await all()).data.endpoint.url);
    for (let done = false; !done; ) {
      const { data } = await own();
      expect(data.endpoint.url).not.toBe(other.url);
      ({ done } = data);
    }
    expect(await replaysOf(world, id)).toHaveLength(2);
    expect(await replaysOf(world, id, true)).toHaveLength(1);
  });
});
