// Keeps the last successful deliveries of each webhook in memory, for the status report, because the store deletes a
// delivery when it succeeds. The log is bounded, and empty after a restart. Decision D-081.
import { LRUCache } from 'lru-cache';
import type { Delivery } from '../storage/webhook-stores.ts';

const MAX_PER_WEBHOOK = 50;
const MAX_WEBHOOKS = 1000;

export interface RecentDelivery {
  seq: number;
  instanceId: string;
  eventId: string;
  type: string;
  /** Number of attempts, including the successful one. */
  attempts: number;
  status: number | null;
  /** Epoch ms at which the delivery was queued. */
  createdAt: number;
  /** Epoch ms. */
  deliveredAt: number;
}

export class DeliveryLog {
  readonly #byWebhook = new LRUCache<string, RecentDelivery[]>({ max: MAX_WEBHOOKS });

  /** Adds a delivery that succeeded at `at` (epoch ms). `status` is the HTTP status of the response. */
  add(delivery: Delivery, { status, at }: { status: number | null; at: number }): void {
    const { webhookId, instanceId, seq, eventId, type, attempts, createdAt } = delivery;
    const deliveries = this.#byWebhook.get(webhookId) ?? [];
    if (deliveries.length === MAX_PER_WEBHOOK) deliveries.shift();
    deliveries.push({ seq, instanceId, eventId, type, attempts: attempts + 1, status, createdAt, deliveredAt: at });
    this.#byWebhook.set(webhookId, deliveries);
  }

  /** Returns the deliveries of a webhook, the most recent success last. */
  of(webhookId: string): readonly RecentDelivery[] {
    return this.#byWebhook.get(webhookId) ?? [];
  }

  /** Removes deliveries that were queued again. */
  remove(webhookId: string, seqs: readonly number[]): void {
    const deliveries = this.#byWebhook.get(webhookId);
    // An empty list would take the place of that of another webhook.
    if (!deliveries) return;
    const removed = new Set(seqs);
    this.#byWebhook.set(
      webhookId,
      deliveries.filter(({ seq }) => !removed.has(seq)),
    );
  }

  forget(webhookId: string): void {
    this.#byWebhook.delete(webhookId);
  }
}
