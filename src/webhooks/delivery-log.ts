// The last successful deliveries of each webhook, for the status report. The store deletes a delivery when it succeeds;
// this log keeps some in memory. Bounded, and empty after a start.
import { LRUCache } from 'lru-cache';
import type { Delivery } from '../storage/webhook-stores.ts';

const MAX_PER_WEBHOOK = 50;
const MAX_WEBHOOKS = 1000;

export interface RecentDelivery {
  seq: number;
  instanceId: string;
  eventId: string;
  type: string;
  attempts: number;
  status: number | null;
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms. */
  deliveredAt: number;
}

export class DeliveryLog {
  readonly #byWebhook = new LRUCache<string, RecentDelivery[]>({ max: MAX_WEBHOOKS });

  /** Adds a delivery that succeeded at `at` (epoch ms) with an HTTP status. */
  add(delivery: Delivery, { status, at }: { status: number | null; at: number }): void {
    const { webhookId, instanceId, seq, eventId, type, attempts, createdAt } = delivery;
    const deliveries = this.#byWebhook.get(webhookId) ?? [];
    if (deliveries.length === MAX_PER_WEBHOOK) deliveries.shift();
    deliveries.push({ seq, instanceId, eventId, type, attempts: attempts + 1, status, createdAt, deliveredAt: at });
    this.#byWebhook.set(webhookId, deliveries);
  }

  /** Returns the deliveries of a webhook in the order of their success. */
  of(webhookId: string): readonly RecentDelivery[] {
    return this.#byWebhook.get(webhookId) ?? [];
  }

  forget(webhookId: string): void {
    this.#byWebhook.delete(webhookId);
  }
}
