import { describe, expect, it } from 'vitest';
import { createWebhookWorld, text } from '../webhooks/webhook-world.ts';

const HOUR = 3_600_000;
const textsOf = (events: readonly string[]) => events.map((json) => JSON.parse(json).data.message.conversation);

describe('the event log', () => {
  it('the event log stores no events of an instance without readers and subscribers', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    await world.report(id, text('a', 'unheard'));
    expect((await world.webhookService.readEvents(id, { limit: 10 })).events).toEqual([]);
    await world.report(id, text('a', 'received'));
    expect(textsOf((await world.webhookService.readEvents(id, { limit: 10 })).events)).toEqual(['received']);
  });

  it('the event log stores all events with EVENT_LOG=always', async () => {
    const world = await createWebhookWorld({ eventLog: 'always' });
    const id = await world.create('shop');
    await world.report(id, text('a', 'received'));
    expect(textsOf((await world.webhookService.readEvents(id, { limit: 10 })).events)).toEqual(['received']);
  });

  it('a reader that is away for less than the retention misses no event, also across a restart', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const { next } = await world.webhookService.readEvents(id, { limit: 10 });
    await world.restart();
    await world.pass(71 * HOUR);
    await world.report(id, text('a', 'while away'));
    const page = await world.webhookService.readEvents(id, { after: next, limit: 10 });
    expect(textsOf(page.events)).toEqual(['while away']);
    expect((await world.webhookService.readEvents(id, { after: page.next, limit: 10 })).events).toEqual([]);
  });

  it('the cursor is unchanged at the end of the log, and a reader that polls for days keeps its position', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const first = await world.webhookService.readEvents(id, { limit: 10 });
    await world.report(id, text('a', 'one'));
    await world.pass(1_000);
    const second = await world.webhookService.readEvents(id, { after: first.next, limit: 10 });
    await world.pass(1_000);
    const third = await world.webhookService.readEvents(id, { after: second.next, limit: 10 });
    expect(third).toEqual({ events: [], next: second.next });
    let { next } = third;
    for (let hour = 0; hour < 100; hour++) {
      await world.pass(HOUR);
      ({ next } = await world.webhookService.readEvents(id, { after: next, limit: 10 }));
    }
    await world.report(id, text('a', 'two'));
    expect(textsOf((await world.webhookService.readEvents(id, { after: next, limit: 10 })).events)).toEqual(['two']);
  });

  it('a reader that is away for longer than the retention gets CURSOR_EXPIRED, and the log stops storing events for it', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const { next } = await world.webhookService.readEvents(id, { limit: 10 });
    await world.pass(74 * HOUR);
    await world.report(id, text('a', 'for nobody'));
    await expect(world.webhookService.readEvents(id, { after: next, limit: 10 })).rejects.toMatchObject({
      code: 'CURSOR_EXPIRED',
    });
    expect((await world.webhookService.readEvents(id, { limit: 10 })).events).toEqual([]);
  });

  it('a page skips thousands of events of other types', async () => {
    const world = await createWebhookWorld({ eventLog: 'always' });
    const id = await world.create('shop');
    const typing = Array.from({ length: 5000 }, () => ({ type: 'presence.update', id: 'a', presences: {} }) as const);
    await world.report(id, ...typing, text('a', 'found'));
    const page = await world.webhookService.readEvents(id, { types: ['messages.upsert'], limit: 10 });
    expect(textsOf(page.events)).toEqual(['found']);
  });

  it('events are pruned after the retention, and dead letters stay replayable for one retention after their death', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop', 'http://127.0.0.1:9/nobody');
    await world.report(id, text('a', 'given up'));
    const hook = world.subscriptions.findMain(id)?.id ?? '';
    await world.subscriptions.setMain(id, { enabled: false, url: '' });
    // The webhook is disabled, so the delivery expires without an attempt and becomes a dead letter.
    await world.pass(73 * HOUR);
    for (let hour = 0; hour < 70; hour++) await world.pass(HOUR);
    expect(await world.storage.outbox.depth(hook)).toMatchObject({ waiting: 0, dead: 1 });
    expect(await world.storage.events.findNewestSeq(id)).toBeGreaterThan(0);
    for (let hour = 0; hour < 10; hour++) await world.pass(HOUR);
    expect(await world.storage.outbox.depth(hook)).toMatchObject({ waiting: 0, dead: 0 });
    expect(await world.storage.events.findNewestSeq(id)).toBe(0);
  });
});
