import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/events.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { QueueDepth } from '../../src/storage/webhook-stores.ts';
import { Backlog } from '../../src/webhooks/backlog.ts';
import { silent } from '../whatsapp/fakes.ts';
import { createWebhookWorld, text, type WebhookWorld } from './webhook-service.ts';

const NOBODY = 'http://127.0.0.1:9/nobody';
const typing: DomainEvent = { type: 'presence.update', id: 'a', presences: {} };

async function shed(world: WebhookWorld): Promise<void> {
  while (!world.log.some(({ msg }) => msg === 'webhook.shed')) await world.pass(0);
}

async function waiting(world: WebhookWorld, id: string): Promise<{ type: string; eventId: string }[]> {
  const { deliveries } = await world.webhookService.reportDeliveries(id, { state: 'waiting', limit: 1_000 });
  return deliveries.reverse();
}

describe('Backlog', () => {
  it('a backlog above its limit drops presence first, logs it once, and stays below the limit', async () => {
    const world = await createWebhookWorld({ backlog: 100 });
    const id = await world.create('shop', NOBODY);
    for (let n = 0; n < 50; n++) await world.report(id, text(`${n % 9}`, `${n}`), typing);
    expect(world.log.filter(({ msg }) => msg === 'webhook.shed')).toEqual([]);
    await world.report(id, typing);
    await shed(world);
    const left = await waiting(world, id);
    expect(left).toHaveLength(90);
    expect(left.filter(({ type }) => type === 'messages.upsert')).toHaveLength(50);
    expect(world.log.filter(({ msg }) => msg === 'webhook.shed')).toMatchObject([{ waiting: 90, light: 11, other: 0 }]);
    const [endpoint] = (await world.webhookService.reportDeliveries(id, { limit: 1 })).endpoints;
    expect(endpoint).toMatchObject({ waiting: 90, shed: { light: 11, other: 0, at: world.clock.now() } });
  });

  it('a backlog without sheddable events drops the oldest of all chats, which can be replayed', async () => {
    const world = await createWebhookWorld({ backlog: 100 });
    const id = await world.create('shop', NOBODY);
    const events = Array.from({ length: 130 }, (_, n) => text(`${n % 9}`, `${n}`));
    await world.report(id, ...events);
    await shed(world);
    const kept = (await world.storage.events.read(id, { after: 0, limit: 500 })).events.map((event) => event.id);
    expect(kept).toHaveLength(130);
    expect((await waiting(world, id)).map(({ eventId }) => eventId)).toEqual(kept.slice(-90));
    expect(await world.webhookService.replay(id, { ids: kept.slice(0, 5) })).toMatchObject({ queued: 5 });
  });

  it('a backlog that a replay filled is above its limit with the next event', async () => {
    const world = await createWebhookWorld({ backlog: 10, eventLog: 'always' });
    const id = await world.create('shop');
    await world.report(id, ...Array.from({ length: 9 }, (_, n) => text('a', `${n}`)));
    await world.subscriptions.setMain(id, { enabled: true, url: NOBODY });
    await world.pass(1_000);
    await world.report(id, text('a', 'counted'));
    expect(await world.webhookService.replay(id, { since: 0 })).toMatchObject({ queued: 9 });
    await world.report(id, text('a', 'one too many'));
    await shed(world);
    expect(await waiting(world, id)).toHaveLength(9);
  });

  it('the backlog of one webhook does not affect another webhook', async () => {
    const world = await createWebhookWorld({ backlog: 20 });
    const [shop, other] = [await world.create('shop', NOBODY), await world.create('other', NOBODY)];
    for (let n = 0; n < 20; n++) await world.report(other, text('a', `${n}`));
    await world.report(shop, ...Array.from({ length: 30 }, (_, n) => text('a', `${n}`)));
    await shed(world);
    expect(await waiting(world, other)).toHaveLength(20);
    expect(await waiting(world, shop)).toHaveLength(18);
  });

  it('a stopped backlog does not use the store', async () => {
    const asked = Promise.withResolvers<QueueDepth>();
    const steps: string[] = [];
    const backlog = new Backlog({
      outbox: { depth: () => asked.promise, summaries: async () => [], discard: async () => undefined },
      ...{ clock: systemClock, log: silent, limit: 1 },
    });
    backlog.addExpected('shop', ['hook']);
    backlog.confirmExpected('shop');
    const stopped = backlog.stop().then(() => steps.push('stopped'));
    steps.push('counted');
    asked.resolve({ waiting: 5, dead: 0, oldestWaitingAt: null });
    await stopped;
    backlog.addExpected('shop', ['another']);
    backlog.confirmExpected('shop');
    expect(steps).toEqual(['counted', 'stopped']);
  });
});
