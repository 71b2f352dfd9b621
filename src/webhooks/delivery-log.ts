// The last deliveries of each webhook that succeeded, in memory: they leave the store when they are done, and an operator who asks whether
// posts arrive wants to see some. Bounded, and empty after a start.
import type { Delivery } from '../storage/webhook-stores.ts';

/** Deliveries remembered of one webhook, and webhooks remembered. */
const PER_WEBHOOK = 50;
const WEBHOOKS = 1000;

export interface RecentDelivery {
  seq: number;
  instanceId: string;
  eventId: string;
  type: string;
  attempts: number;
  status: number | null;
  /** Epoch ms. */
  createdAt: number;
  deliveredAt: number;
}

export class DeliveryLog {
  readonly #byWebhook = new Map<string, RecentDelivery[]>();

  add(delivery: Delivery, { status, at }: { status: number | null; at: number }): void {
    const { webhookId, instanceId, seq, eventId, type, attempts, createdAt } = delivery;
    const known = this.#byWebhook.get(webhookId) ?? [];
    if (known.length === PER_WEBHOOK) known.shift();
    known.push({ seq, instanceId, eventId, type, attempts: attempts + 1, status, createdAt, deliveredAt: at });
    this.#byWebhook.set(webhookId, known);
    const [oldest] = this.#byWebhook.keys();
    if (this.#byWebhook.size > WEBHOOKS && oldest !== undefined) this.#byWebhook.delete(oldest);
  }

  /** In the order in which they were delivered. */
  of(webhookId: string): readonly RecentDelivery[] {
    return this.#byWebhook.get(webhookId) ?? [];
  }

  forget(webhookId: string): void {
    this.#byWebhook.delete(webhookId);
  }
}
