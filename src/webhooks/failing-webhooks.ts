// Tracks since when all deliveries of a webhook have failed, also across restarts, and says when the webhook should be
// disabled. The caller disables it. Decision D-082.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Outbox } from '../storage/webhook-stores.ts';

/** A webhook that has been failing for fewer ms than this is not stored as failing. */
const MIN_STORED_MS = 60_000;
/**
 * A shared webhook is one that all nodes deliver to. After a success at this node, this node removes the failures that
 * other nodes have stored for the webhook, at most once per this interval.
 */
const SHARED_CLEAR_INTERVAL_MS = 300_000;

export interface FailingWebhooksDeps {
  outbox: Pick<Outbox, 'listFailing' | 'setFailing'>;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** Whether this node delivers to the webhook. The store also has the failures of webhooks of other nodes. */
  isOwn: (webhookId: string) => boolean;
  /** Whether all nodes deliver to the webhook. */
  isShared: (webhookId: string) => boolean;
  /** A webhook should be disabled when all its deliveries have failed for this many ms; 0: never. */
  disableAfter: number;
}

/** A failed attempt. */
export interface AttemptFailure {
  /** HTTP status; null when there was no response. */
  status: number | null;
  /** Error code when there was no response, else null. */
  error: string | null;
  /** Epoch ms. */
  at: number;
}

/** Health of a webhook's receiver, which the dispatcher reports. */
export interface HealthReport {
  /** Epoch ms of the next probe while the circuit breaker is open, else null. */
  pausedUntil: number | null;
  /** Number of consecutive failures. */
  failures: number;
  /** Epoch ms of the first failure since the last success; null when the last delivery succeeded. */
  failingSince: number | null;
  /** The last failure; null when this process has had none since the last success. */
  lastFailure: AttemptFailure | null;
}

/** A webhook whose deliveries all fail. */
interface FailingWebhook {
  /** Epoch ms of the first failure since the last success. */
  failingSince: number;
  /** Whether the store contains `failingSince`. */
  isStored: boolean;
  /** The last failure in this process, if any. */
  last: AttemptFailure | null;
}

export class FailingWebhooks {
  readonly #deps: FailingWebhooksDeps;
  /** Failing webhooks, by id. */
  readonly #failing = new Map<string, FailingWebhook>();
  /** Epoch ms at which this node last removed the stored failures of a webhook, by id. */
  readonly #clearedAt = new Map<string, number>();
  /** Resolves when all writes so far have ended, also when they failed. */
  #writes: Promise<void> = Promise.resolve();

  constructor(deps: FailingWebhooksDeps) {
    this.#deps = deps;
  }

  /**
   * Loads the stored `failingSince` of each own webhook. Call it before deliveries start, and when this node has taken
   * over instances. Rejects when the store cannot be read.
   */
  async load(): Promise<void> {
    await this.#writes;
    for (const { webhookId, since } of await this.#deps.outbox.listFailing()) {
      // The failures of other nodes' webhooks are skipped, because this node would not learn when they end.
      if (!this.#deps.isOwn(webhookId)) continue;
      this.#failing.set(webhookId, { failingSince: since, isStored: true, last: this.lastFailure(webhookId) });
    }
  }

  /** Returns the epoch ms of the first failure since the last success, or null. */
  failingSince(webhookId: string): number | null {
    return this.#failing.get(webhookId)?.failingSince ?? null;
  }

  /** Returns the last failure in this process since the last success, or null. */
  lastFailure(webhookId: string): AttemptFailure | null {
    return this.#failing.get(webhookId)?.last ?? null;
  }

  /** Records a failed attempt. Resolves with true when the webhook should be disabled. Never rejects. */
  async recordFailure(webhookId: string, { status, error }: Omit<AttemptFailure, 'at'>): Promise<boolean> {
    const now = this.#deps.clock.now();
    const failing = this.#failing.get(webhookId) ?? { failingSince: now, isStored: false, last: null };
    failing.last = { status, error, at: now };
    this.#failing.set(webhookId, failing);
    const { disableAfter, log } = this.#deps;
    const hasFailedTooLong = (): boolean => disableAfter > 0 && now - failing.failingSince >= disableAfter;
    // Only a stored period of failures disables a webhook. A period can last `disableAfter` without being stored, if
    // this node made no attempt after its first MIN_STORED_MS. Other nodes can have delivered since then, and they end
    // only stored periods. So the period begins again.
    if (!failing.isStored && hasFailedTooLong()) failing.failingSince = now;
    if (!failing.isStored && now - failing.failingSince >= MIN_STORED_MS) {
      failing.isStored = true;
      this.#store(webhookId, failing.failingSince);
    }
    if (!hasFailedTooLong()) return false;
    try {
      await this.#refresh(webhookId, failing, now);
    } catch (err) {
      log.error({ err, webhook: webhookId }, 'webhook.failing_read.failed');
      return false;
    }
    // The webhook can have recovered during #refresh().
    return this.#failing.get(webhookId) === failing && hasFailedTooLong();
  }

  /**
   * Corrects `failing` by the stored period of failures. When a shared webhook recovers at another node, that node
   * removes the stored period, or stores a later one at the next failure, and this node is not notified. So the later
   * `failingSince` counts. Without a stored period, the failures begin at `now` (epoch ms).
   */
  async #refresh(webhookId: string, failing: FailingWebhook, now: number): Promise<void> {
    await this.#writes;
    const stored = (await this.#deps.outbox.listFailing()).find((row) => row.webhookId === webhookId);
    failing.failingSince = stored ? Math.max(stored.since, failing.failingSince) : now;
    failing.isStored = stored !== undefined;
  }

  /**
   * Ends the period of failures. For a shared webhook, also ends the period that other nodes have stored. Call it when
   * a delivery succeeded, or the webhook was changed.
   */
  clear(webhookId: string): void {
    const isStored = this.#failing.get(webhookId)?.isStored ?? false;
    this.#failing.delete(webhookId);
    if (!isStored && !this.#mayClearOtherNodes(webhookId)) return;
    this.#clearedAt.set(webhookId, this.#deps.clock.now());
    this.#store(webhookId, null);
  }

  /** Whether failures that other nodes have stored may be removed now: see SHARED_CLEAR_INTERVAL_MS. */
  #mayClearOtherNodes(webhookId: string): boolean {
    const { isShared, clock } = this.#deps;
    const clearedAt = this.#clearedAt.get(webhookId) ?? Number.NEGATIVE_INFINITY;
    return isShared(webhookId) && clock.now() - clearedAt >= SHARED_CLEAR_INTERVAL_MS;
  }

  /** Removes a webhook from memory only, because it was deleted or another node owns it now. */
  forget(webhookId: string): void {
    this.#failing.delete(webhookId);
    this.#clearedAt.delete(webhookId);
  }

  /**
   * Stores `since`; null removes the stored value. Each write waits for the previous one. Two writes at once would use
   * two connections, and the older value could replace the newer one.
   */
  #store(webhookId: string, since: number | null): void {
    this.#writes = this.#writes
      .then(() => this.#deps.outbox.setFailing(webhookId, since))
      .catch((err: unknown) => {
        this.#deps.log.error({ err, webhook: webhookId }, 'webhook.failing_write.failed');
      });
  }
}
