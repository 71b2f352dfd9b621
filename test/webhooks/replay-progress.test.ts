import { describe, expect, it } from 'vitest';
import { type ReplayProgress, ReplayTracker } from '../../src/webhooks/replay-progress.ts';
import { webhook } from '../storage/samples.ts';
import { createWebhookWorld, text, type WebhookWorld } from './webhook-service.ts';
import { is, receiver } from './world.ts';

/** The instance `shop` with a webhook, and `count` events that it has taken. */
async function shop(count: number, ...options: Parameters<typeof createWebhookWorld>) {
  const [world, hook] = [await createWebhookWorld(...options), await receiver()];
  const id = await world.create('shop', hook.url);
  for (let n = 0; n < count; n++) await world.report(id, text(`${n % 8}`, `number ${n}`));
  await attempted(world, count);
  return { world, hook, id };
}

/** Waits for `count` attempts in all, by the log. */
async function attempted(world: WebhookWorld, count: number): Promise<void> {
  while (world.log.filter(({ msg }) => msg === 'webhook.attempted').length < count) await world.pass(0);
}

/** What a stream says of replays, from now on. */
async function listen(world: WebhookWorld, id: string, how: { ownOnly?: boolean; types?: string[] } = {}) {
  const { ownOnly = false, types = ['replay.progress'] } = how;
  const left = new AbortController();
  const texts = await world.webhookService.openStream(
    id,
    { after: 'latest', types },
    { field: 'a', signal: left.signal, ownWebhooksOnly: ownOnly },
  );
  const reader = texts[Symbol.asyncIterator]();
  await reader.next();
  return async () => {
    for (;;) {
      const block = String((await reader.next()).value);
      const [, json] = /^event: replay\.progress\ndata: (.*)\n\n$/.exec(block) ?? [];
      if (json) return JSON.parse(json);
    }
  };
}

const replaysOf = async (world: WebhookWorld, id: string, ownOnly = false) =>
  (await world.webhookService.reportDeliveries(id, { limit: 1, ownWebhooksOnly: ownOnly })).replays;

describe('ReplayTracker', () => {
  /** A tracker, its reports, and a function that starts a replay of one delivery at each webhook. */
  function tracker() {
    const reports: ReplayProgress[] = [];
    const tracked = new ReplayTracker({
      clock: { now: () => 0 },
      onProgress: (progress) => void reports.push(progress),
    });
    const replay = (webhookIds: readonly string[]) => {
      const run = tracked.start('a');
      for (const id of webhookIds) run.add(webhook(id), [1]);
      run.finish();
      for (const id of webhookIds) tracked.onEnded(id, [1], 'dead');
      return run.id;
    };
    return { tracked, reports, replay };
  }

  it('reports the exact percentage', () => {
    const { tracked, reports } = tracker();
    const run = tracked.start('a');
    run.add(webhook('w'), [...Array(100).keys()]);
    run.finish();
    for (let seq = 0; seq < 100; seq++) tracked.onEnded('w', [seq], 'dropped');
    expect(reports.map(({ percent }) => percent)).toEqual([...Array(101).keys()]);
  });

  it('keeps the last ten ended replays with all their webhooks', () => {
    const { tracked, replay } = tracker();
    const webhooks = Array.from({ length: 11 }, (_, n) => `w${n}`);
    const ids = Array.from({ length: 12 }, () => replay(webhooks));
    const kept = tracked.progressOf('a').map(({ id, webhook: { id: webhookId } }) => `${id} ${webhookId}`);
    expect(kept).toEqual(
      ids
        .slice(2)
        .flatMap((id) => webhooks.map((webhookId) => `${id} ${webhookId}`))
        .reverse(),
    );
  });

  it('keeps a replay whole while one of its webhooks has waiting deliveries', () => {
    const { tracked, replay } = tracker();
    const run = tracked.start('a');
    for (const id of ['fast', 'slow']) run.add(webhook(id), [2]);
    run.finish();
    tracked.onEnded('fast', [2], 'dead');
    for (let n = 0; n < 12; n++) replay(['w']);
    expect(tracked.progressOf('a').filter(({ id }) => id === run.id)).toHaveLength(2);
  });

  it('does not track what a replay queues after its instance is forgotten', () => {
    const { tracked, reports } = tracker();
    const run = tracked.start('a');
    const other = tracked.start('b');
    run.add(webhook('w'), [1]);
    other.add(webhook('x'), [1]);
    tracked.forget('a');
    run.add(webhook('w'), [2]);
    run.add(webhook('v'), [3]);
    run.finish();
    expect(tracked.progressOf('a')).toEqual([]);
    tracked.onEnded('w', [1, 2], 'dropped');
    tracked.onWebhookRemoved('v');
    expect(reports).toEqual([]);
    other.finish();
    expect(reports).toMatchObject([{ id: other.id, queued: 1 }]);
  });
});

describe('the progress of a replay', () => {
  it('replay progress counts the queued deliveries only, and reports each percent once', async () => {
    const { world, hook, id } = await shop(8);
    const next = await listen(world, id);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    hook.answer(async (post) => {
      if (!is('number 0')(post) && !is('new')(post)) await held;
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
    await attempted(world, 10);
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
    const { world, hook, id } = await shop(20, { backlog: 20, noRetry: [422] });
    hook.answer((post) => (is('number 3')(post) ? 422 : 200));
    await world.webhookService.replay(id, { since: 0 });
    await attempted(world, 40);
    await expect
      .poll(() => replaysOf(world, id))
      .toMatchObject([{ delivered: 19, dead: 1, progress: 100, done: true }]);

    hook.answer(() => 503);
    await world.webhookService.replay(id, { since: 0 });
    await attempted(world, 45);
    for (let n = 0; n < 4; n++) await world.report(id, text('a', `newer ${n}`));
    await world.pass(0);
    await expect.poll(async () => (await replaysOf(world, id))[0]?.dropped).toBeGreaterThan(0);
    const next = await listen(world, id);
    const [webhook] = world.subscriptions.ofInstance(id);
    await world.subscriptions.remove(id, webhook?.id ?? '');
    expect((await next()).data).toMatchObject({ queued: 20, delivered: 0, dropped: 20, done: true });
  });

  it('a replay at a disabled webhook ends when its deliveries expire', async () => {
    const { world, hook, id } = await shop(3, { maxAge: 60_000 });
    const next = await listen(world, id);
    hook.answer(() => 503);
    await world.webhookService.replay(id, { since: 0 });
    expect((await next()).data).toMatchObject({ progress: 0 });
    await world.subscriptions.setMain(id, { enabled: false, url: hook.url });
    await world.pass(90_000);
    expect((await next()).data).toMatchObject({ queued: 3, dead: 3, done: true });
  });

  it('the last ten ended replays are kept, and none of a deleted instance', async () => {
    const { world, id } = await shop(1);
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) {
      ids.push((await world.webhookService.replay(id, { since: 0 })).id ?? '');
      await attempted(world, n + 2);
    }
    await expect.poll(async () => (await replaysOf(world, id)).map((each) => each.id)).toEqual(ids.slice(2).reverse());
    world.webhookService.forget(id);
    expect(await replaysOf(world, id)).toEqual([]);
  });

  it('replay progress goes to streams that ask for it, and of the global webhook to operators only', async () => {
    const other = await receiver();
    const { world, id } = await shop(1, {}, other.url);
    const [all, own] = [await listen(world, id), await listen(world, id, { ownOnly: true })];
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
