// Since when each webhook has had no successful delivery, across restarts. Reports webhooks that should be disabled;
// disables none itself. Decision D-082.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Outbox } from '../storage/webhook-stores.ts';

/** A shorter period of failures is not stored, ms. */
const MIN_STORED_MS = 60_000;

export interface FailingWebhooksDeps {
  outbox: Pick<Outbox, 'failing' | 'setFailing'>;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** ms without a successful delivery after which a webhook should be disabled; 0: never. */
  limit: number;
}

/** A failed attempt. */
export interface Failure {
  /** HTTP status; null when there was no answer. */
  status: number | null;
  /** Error code when there was no answer. */
  error: string | null;
  /** Epoch ms. */
  at: number;
}

/** Health of a receiver. */
export interface Health {
  /** Epoch ms of the next probe while the circuit breaker is open. */
  pausedUntil: number | null;
  /** Consecutive failures. */
  failures: number;
  /** Epoch ms of the first failure since the last success. */
  failingSince: number | null;
  /** The last failure since the last success and the start of the process. */
  lastFailure: Failure | null;
}

export class FailingWebhooks {
  readonly #deps: FailingWebhooksDeps;
  /** `last` is null until an attempt of this process fails. */
  readonly #failing = new Map<string, { since: number; isStored: boolean; last: Failure | null }>();

  constructor(deps: FailingWebhooksDeps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    for (const { webhookId, since } of await this.#deps.outbox.failing()) {
      this.#failing.set(webhookId, { since, isStored: true, last: this.lastFailure(webhookId) });
    }
  }

  /** Returns the epoch ms of the first failure since the last success, or null. */
  since(webhookId: string): number | null {
    return this.#failing.get(webhookId)?.since ?? null;
  }

  lastFailure(webhookId: string): Failure | null {
    return this.#failing.get(webhookId)?.last ?? null;
  }

  /** Records a failed attempt. Returns true when the webhook should be disabled. */
  recordFailure(webhookId: string, { status, error }: Omit<Failure, 'at'>): boolean {
    const now = this.#deps.clock.now();
    const failing = this.#failing.get(webhookId) ?? { since: now, isStored: false, last: null };
    failing.last = { status, error, at: now };
    this.#failing.set(webhookId, failing);
    if (!failing.isStored && now - failing.since >= MIN_STORED_MS) {
      failing.isStored = true;
      this.#store(webhookId, failing.since);
    }
    return this.#deps.limit > 0 && now - failing.since >= this.#deps.limit;
  }

  /** Ends the period of failures: a delivery succeeded, or the webhook was changed. */
  clear(webhookId: string): void {
    const failing = this.#failing.get(webhookId);
    if (!failing) return;
    this.#failing.delete(webhookId);
    if (failing.isStored) this.#store(webhookId, null);
  }

  /** Forgets a webhook that was deleted or belongs to another node; the store keeps its row. */
  forget(webhookId: string): void {
    this.#failing.delete(webhookId);
  }

  #store(webhookId: string, since: number | null): void {
    this.#deps.outbox.setFailing(webhookId, since).catch((err: unknown) => {
      this.#deps.log.error({ err, webhook: webhookId }, 'webhook.failing_write.failed');
    });
  }
}
