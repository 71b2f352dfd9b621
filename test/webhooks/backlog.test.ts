import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/events.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import type { QueueDepth } from '../../src/storage/webhook-stores.ts';
import { Backlog } from '../../src/webhooks/backlog.ts';
import { silent } from '../support/session-fakes.ts';
import { createWebhookWorld, text, type WebhookWorld } from './webhook-world.ts';

const UNREACHABLE_URL = 'http://127.0.0.1:9/nobody';
const typing: DomainEvent = { type: 'presence.update', id: 'a', presences: {} };

async function waitForShed(world: WebhookWorld): Promise<void> {
  while (!world.log.some(({ msg }) => msg === 'webhook.shed')) await world.pass(0);
}

async function waitingDeliveries(world: WebhookWorld, id: string): Promise<{ type: string; eventId: string }[]> {
  const { deliveries } = await world.webhookService.reportDeliveries(id, { state: 'waiting', limit: 1_000 });
  return deliveries.reverse();
}

describe('Backlog', () => {
  it('a backlog above its limit drops presence events first, logs it once, and stays below the limit', async () => {
    const world = await createWebhookWorld({ backlog: 100 });
    const id = await world.create('shop', UNREACHABLE_URL);
    for (let n = 0; n < 50; n++) await world.report(id, text(`${n % 9}`, `${n}`), typing);
    expect(world.log.filter(({ msg }) => msg === 'webhook.shed')).toEqual([]);
    await world.report(id, typing);
    await waitForShed(world);
    const remaining = await waitingDeliveries(world, id);
    expect(remaining).toHaveLength(90);
    expect(remaining.filter(({ type }) => type === 'messages.upsert')).toHaveLength(50);
    expect(world.log.filter(({ msg }) => msg === 'webhook.shed')).toMatchObject([{ waiting: 90, light: 11, other: 0 }]);
    const [endpoint] = (await world.webhookService.reportDeliveries(id, { limit: 1 })).endpoints;
    expect(endpoint).toMatchObject({ waiting: 90, shed: { light: 11, other: 0, at: world.clock.now() } });
  });

  it('a backlog without sheddable events drops the oldest events of all chats, which a replay can queue again', async () => {
    const world = await createWebhookWorld({ backlog: 100 });
    const id = await world.create('shop', UNREACHABLE_URL);
    const events = Array.from({ length: 130 }, (_, n) => text(`${n % 9}`, `${n}`));
    await world.report(id, ...events);
    await waitForShed(world);
    const storedIds = (await world.storage.events.read(id, { after: 0, limit: 500 })).events.map((event) => event.id);
    expect(storedIds).toHaveLength(130);
    expect((await waitingDeliveries(world, id)).map(({ eventId }) => eventId)).toEqual(storedIds.slice(-90));
    expect(await world.webhookService.replay(id, { ids: storedIds.slice(0, 5) })).toMatchObject({ queued: 5 });
  });

  it('a backlog that a replay has filled is above its limit with the next event', async () => {
    const world = await createWebhookWorld({ backlog: 10, eventLog: 'always' });
    const id = await world.create('shop');
    await world.report(id, ...Array.from({ length: 9 }, (_, n) => text('a', `${n}`)));
    await world.subscriptions.setMain(id, { enabled: true, url: UNREACHABLE_URL });
    await world.pass(1_000);
    await world.report(id, text('a', 'counted'));
    expect(await world.webhookService.replay(id, { since: 0 })).toMatchObject({ queued: 9 });
    await world.report(id, text('a', 'one too many'));
    await waitForShed(world);
    expect(await waitingDeliveries(world, id)).toHaveLength(9);
  });

  it('the backlog of one webhook does not affect another webhook', async () => {
    const world = await createWebhookWorld({ backlog: 20 });
    const [shop, other] = [await world.create('shop', UNREACHABLE_URL), await world.create('other', UNREACHABLE_URL)];
    for (let n = 0; n < 20; n++) await world.report(other, text('a', `${n}`));
    await world.report(shop, ...Array.from({ length: 30 }, (_, n) => text('a', `${n}`)));
    await waitForShed(world);
    expect(await waitingDeliveries(world, other)).toHaveLength(20);
    expect(await waitingDeliveries(world, shop)).toHaveLength(18);
  });

  it('Backlog.stop() waits for the count in progress, after which the backlog does not use the store', async () => {
    const depth = Promise.withResolvers<QueueDepth>();
    const steps: string[] = [];
    const backlog = new Backlog({
      outbox: {
        depth: (webhookId) => {
          steps.push(`depth of ${webhookId}`);
          return depth.promise;
        },
        summaries: async () => {
          steps.push('summaries');
          return [];
        },
        discard: async () => void steps.push('discard'),
      },
      ...{ clock: systemClock, log: silent, limit: 1 },
    });
    backlog.addExpected('shop', ['hook']);
    backlog.confirmExpected('shop');
    const stopped = backlog.stop().then(() => steps.push('stopped'));
    steps.push('counted');
    depth.resolve({ waiting: 5, dead: 0, oldestWaitingAt: null });
    await stopped;
    backlog.addExpected('shop', ['another']);
    backlog.confirmExpected('shop');
    await turnEnd();
    expect(steps).toEqual(['depth of hook', 'counted', 'stopped']);
  });
});
