// What has to be done about the outbox now and then: old events and dead letters go, and what waits for a webhook that was switched off
// expires as it would if it were on.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Outbox } from '../storage/webhook-stores.ts';
import type { Subscriptions } from './subscriptions.ts';

const EVERY = 3_600_000;
/** Soon after a start, but not while everybody connects: a process that is started often has to tidy up too. */
const FIRST = 90_000;

export interface OutboxMaintenanceDeps {
  outbox: Pick<Outbox, 'prune' | 'expire' | 'backlog'>;
  subscriptions: Pick<Subscriptions, 'byId'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'error'>;
  /** ms that events are kept, and dead letters after their death. */
  retention: number;
  /** ms after which what waits is given up. */
  expiry: number;
  /** Hears of what was given up. */
  onExpired?: ((webhookId: string, seqs: readonly number[]) => void) | undefined;
}

export class OutboxMaintenance {
  readonly #deps: OutboxMaintenanceDeps;
  readonly #rounds: PeriodicTask;

  constructor(deps: OutboxMaintenanceDeps) {
    this.#deps = deps;
    this.#rounds = new PeriodicTask({ clock: deps.clock, first: FIRST, every: EVERY, work: () => this.#tidy() });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Resolves when what is under way has ended. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #tidy(): Promise<void> {
    const { outbox, clock, log, retention } = this.#deps;
    try {
      const expired = await this.#expire();
      const rows = await outbox.prune(clock.now() - retention);
      log.info({ rows, expired }, 'webhook.pruned');
    } catch (err) {
      log.error({ err }, 'webhook.prune_failed');
    }
  }

  async #expire(): Promise<number> {
    const { outbox, subscriptions, clock, expiry, onExpired } = this.#deps;
    const waiting = new Set((await outbox.backlog()).map(({ webhookId }) => webhookId));
    let expired = 0;
    for (const id of waiting) {
      if (subscriptions.byId(id)?.enabled) continue;
      const seqs = await outbox.expire(id, clock.now() - expiry);
      onExpired?.(id, seqs);
      expired += seqs.length;
    }
    return expired;
  }
}
