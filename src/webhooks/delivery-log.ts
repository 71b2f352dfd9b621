// Keeps the last successful deliveries of each webhook in memory, for the status report, because the store deletes a
// delivery when it succeeds. The log is bounded, and empty after a restart. Decision D-081.
import type { Delivery } from '../storage/webhook-stores.ts';

/** Maximum number of deliveries of a webhook. */
const MAX_PER_WEBHOOK = 50;
/**
 * Limit for all webhooks together. With more than 1,000 webhooks, each keeps fewer than MAX_PER_WEBHOOK deliveries, but
 * at least its last one.
 */
const MAX_TOTAL = 50_000;

export interface RecentDelivery {
  /** Position of the event in the event log. */
  seq: number;
  instanceId: string;
  eventId: string;
  type: string;
  /** Number of attempts, including the successful one. */
  attempts: number;
  /** HTTP status of the response. */
  status: number | null;
  /** Epoch ms at which the delivery was queued. */
  createdAt: number;
  /** Epoch ms. */
  deliveredAt: number;
}

export class DeliveryLog {
  readonly #byWebhook = new Map<string, RecentDelivery[]>();

  /** Adds a delivery that succeeded at `at` (epoch ms). `status` is the HTTP status of the response. */
  add(delivery: Delivery, { status, at }: { status: number | null; at: number }): void {
    const { webhookId, instanceId, seq, eventId, type, attempts, createdAt } = delivery;
    const deliveries = this.#byWebhook.get(webhookId) ?? [];
    this.#byWebhook.set(webhookId, deliveries);
    const limit = Math.max(1, Math.min(MAX_PER_WEBHOOK, Math.floor(MAX_TOTAL / this.#byWebhook.size)));
    if (deliveries.length >= limit) deliveries.splice(0, deliveries.length - limit + 1);
    // `attempts` of the delivery does not count the successful attempt.
    deliveries.push({ seq, instanceId, eventId, type, attempts: attempts + 1, status, createdAt, deliveredAt: at });
  }

  /** Returns the deliveries of a webhook, the most recent success last. */
  of(webhookId: string): readonly RecentDelivery[] {
    return this.#byWebhook.get(webhookId) ?? [];
  }

  /** Removes deliveries that a replay has queued again, because they are waiting again. */
  remove(webhookId: string, seqs: readonly number[]): void {
    const deliveries = this.#byWebhook.get(webhookId);
    if (!deliveries) return;
    const removed = new Set(seqs);
    this.#byWebhook.set(
      webhookId,
      deliveries.filter(({ seq }) => !removed.has(seq)),
    );
  }

  /** Removes all deliveries of a webhook that was deleted. */
  forget(webhookId: string): void {
    this.#byWebhook.delete(webhookId);
  }
}
