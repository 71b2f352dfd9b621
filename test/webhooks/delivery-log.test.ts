import { expect, it } from 'vitest';
import type { Delivery } from '../../src/storage/webhook-stores.ts';
import { DeliveryLog } from '../../src/webhooks/delivery-log.ts';

let seq = 0;

const delivery = (webhookId: string): Delivery => ({
  ...{ webhookId, seq: ++seq, instanceId: 'one', eventId: `evt_${seq}`, type: 'messages.upsert', lane: 0 },
  ...{ body: '', attempts: 0, nextAt: 0, createdAt: 0 },
});

function add(log: DeliveryLog, webhookId: string, count: number): void {
  for (let n = 1; n <= count; n++) log.add(delivery(webhookId), { status: 200, at: n });
}

it('the delivery log keeps the last fifty deliveries of a webhook', () => {
  const log = new DeliveryLog();
  add(log, 'w', 60);
  expect(log.of('w').map(({ deliveredAt }) => deliveredAt)).toEqual(Array.from({ length: 50 }, (_, n) => n + 11));
});

it('the delivery log keeps the last delivery of each of 2,000 webhooks, and at most 50,000 deliveries', () => {
  const log = new DeliveryLog();
  const webhooks = Array.from({ length: 2_000 }, (_, n) => `w${n}`);
  for (let round = 0; round < 2; round++) for (const webhook of webhooks) add(log, webhook, 60);
  for (const webhook of webhooks) expect(log.of(webhook).at(-1)?.deliveredAt).toBe(60);
  expect(webhooks.reduce((sum, webhook) => sum + log.of(webhook).length, 0)).toBeLessThanOrEqual(50_000);
});
