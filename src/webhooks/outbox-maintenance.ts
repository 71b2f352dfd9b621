// Every hour, deletes old events and dead letters (deliveries that the gateway no longer retries), and gives up expired
// deliveries of disabled webhooks. Deliveries of enabled webhooks expire when the dispatcher attempts them.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Outbox } from '../storage/webhook-stores.ts';
import type { Subscriptions } from './subscriptions.ts';

const INTERVAL_MS = 3_600_000;
/**
 * ms from the start of the process to the first run. Usually the instances have connected by then, and even a process
 * that restarts often reaches the first run.
 */
const FIRST_RUN_MS = 90_000;

export interface OutboxMaintenanceDeps {
  outbox: Pick<Outbox, 'prune' | 'expire' | 'listWaitingLanes'>;
  subscriptions: Pick<Subscriptions, 'byId'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'error'>;
  /** ms for which events and dead letters are stored. */
  retention: number;
  /** Age in ms at which a waiting delivery becomes a dead letter. */
  maxAge: number;
  /** Called with the seqs (positions in the event log) of deliveries that expired. */
  onExpired?: ((webhookId: string, seqs: readonly number[]) => void) | undefined;
}

export class OutboxMaintenance {
  readonly #deps: OutboxMaintenanceDeps;
  readonly #task: PeriodicTask;

  constructor(deps: OutboxMaintenanceDeps) {
    this.#deps = deps;
    this.#task = new PeriodicTask({
      clock: deps.clock,
      first: FIRST_RUN_MS,
      every: INTERVAL_MS,
      work: (signal) => this.#run(signal),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Interrupts a run in progress. Resolves when the run has ended. */
  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { outbox, clock, log, retention } = this.#deps;
    try {
      const expired = await this.#expire(signal);
      const rows = await outbox.prune(clock.now() - retention, signal);
      log.info({ rows, expired }, 'webhook.outbox.pruned');
    } catch (err) {
      log.error({ err }, 'webhook.outbox_prune.failed');
    }
  }

  /** Makes expired deliveries of disabled and removed webhooks dead letters. Resolves with their number. */
  async #expire(signal: AbortSignal): Promise<number> {
    const { outbox, subscriptions, clock, maxAge, onExpired } = this.#deps;
    const webhookIds = new Set((await outbox.listWaitingLanes()).map(({ webhookId }) => webhookId));
    let expired = 0;
    for (const id of webhookIds) {
      if (subscriptions.byId(id)?.enabled) continue;
      for await (const seqs of outbox.expire(id, clock.now() - maxAge)) {
        onExpired?.(id, seqs);
        expired += seqs.length;
        if (signal.aborted) return expired;
      }
    }
    return expired;
  }
}
