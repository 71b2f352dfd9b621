// Since when each webhook has taken nothing, across restarts. Says when that is too long; disables nothing itself.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Outbox } from '../storage/webhook-stores.ts';

/** A failure that heals sooner is not written down, ms. */
const WORTH_STORING = 60_000;

export interface FailingWebhooksDeps {
  outbox: Pick<Outbox, 'failing' | 'setFailing'>;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** ms without any delivery after which a webhook is to be disabled; 0: never. */
  limit: number;
}

/** What became of an attempt. */
export interface Failure {
  /** HTTP status; null when there was no answer. */
  status: number | null;
  /** Why there was none. */
  error: string | null;
  /** Epoch ms. */
  at: number;
}

/** How a receiver fares. */
export interface Health {
  /** Epoch ms until which only probes are sent. */
  pausedUntil: number | null;
  /** Failures in a row. */
  failures: number;
  /** Epoch ms since which nothing was taken. */
  failingSince: number | null;
  /** Meanwhile, and since the start of the process: what became of the last attempt. */
  lastFailure: Failure | null;
}

export class FailingWebhooks {
  readonly #deps: FailingWebhooksDeps;
  /** `last` is null until an attempt of this process fails. */
  readonly #failing = new Map<string, { since: number; isStored: boolean; lastFailure: Failure | null }>();

  constructor(deps: FailingWebhooksDeps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    for (const { webhookId, since } of await this.#deps.outbox.failing()) {
      this.#failing.set(webhookId, { since, isStored: true, lastFailure: this.last(webhookId) });
    }
  }

  /** Epoch ms, or null while posts get through. */
  since(webhookId: string): number | null {
    return this.#failing.get(webhookId)?.since ?? null;
  }

  last(webhookId: string): Failure | null {
    return this.#failing.get(webhookId)?.lastFailure ?? null;
  }

  /** A post failed. True when the webhook should be disabled for it. */
  recordFailure(webhookId: string, { status, error }: Omit<Failure, 'at'>): boolean {
    const now = this.#deps.clock.now();
    const failing = this.#failing.get(webhookId) ?? { since: now, isStored: false, lastFailure: null };
    failing.lastFailure = { status, error, at: now };
    this.#failing.set(webhookId, failing);
    if (!failing.isStored && now - failing.since >= WORTH_STORING) {
      failing.isStored = true;
      this.#store(webhookId, failing.since);
    }
    return this.#deps.limit > 0 && now - failing.since >= this.#deps.limit;
  }

  /** A post was taken, or the webhook was changed: what was before does not count. */
  clear(webhookId: string): void {
    const failing = this.#failing.get(webhookId);
    if (!failing) return;
    this.#failing.delete(webhookId);
    if (failing.isStored) this.#store(webhookId, null);
  }

  /** The webhook is none of this process's any more. */
  forget(webhookId: string): void {
    this.#failing.delete(webhookId);
  }

  #store(webhookId: string, since: number | null): void {
    this.#deps.outbox.setFailing(webhookId, since).catch((err: unknown) => {
      this.#deps.log.error({ err, webhook: webhookId }, 'webhook.failing_unstored');
    });
  }
}
