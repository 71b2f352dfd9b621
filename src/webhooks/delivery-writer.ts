// Writes the results of attempts (settlements) to the outbox. The results of one turn of the event loop are written in
// one transaction. A failed write is retried, so no result is lost while the process runs.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { atTurnEnd } from '../lib/event-loop-turn.ts';
import type { Outbox, Settlement } from '../storage/webhook-stores.ts';

/** ms before a failed write is retried. */
const RETRY_MS = 1_000;

export interface DeliveryWriterDeps {
  outbox: Pick<Outbox, 'settle'>;
  /** Called with results that were stored. */
  onSettled?: ((settlements: readonly Settlement[]) => void) | undefined;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

export class DeliveryWriter {
  readonly #deps: DeliveryWriterDeps;
  #queue: Settlement[] = [];
  #running: Promise<void> | null = null;
  #isScheduled = false;

  constructor(deps: DeliveryWriterDeps) {
    this.#deps = deps;
  }

  add(settlement: Settlement): void {
    this.#queue.push(settlement);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atTurnEnd('collect', () => this.#writeScheduled());
  }

  /** Resolves when all results that were added so far are stored. Rejects when the store fails; they stay queued. */
  async flush(): Promise<void> {
    if (this.#queue.length > 0) this.#running ??= this.#drain();
    await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const batch = newestPerDelivery(this.#queue);
        this.#queue = [];
        await this.#deps.outbox.settle(batch).catch((err: unknown) => {
          this.#queue = [...batch, ...this.#queue];
          throw err;
        });
        this.#deps.onSettled?.(batch);
      }
    } finally {
      this.#running = null;
    }
  }

  /** Writes the queued results. Schedules a further write when that fails. */
  #writeScheduled(): void {
    this.#isScheduled = false;
    this.flush().catch((err: unknown) => {
      this.#deps.log.error({ err, waiting: this.#queue.length }, 'webhook.result_write.failed');
      this.#isScheduled = true;
      this.#deps.clock.after(RETRY_MS, () => this.#writeScheduled());
    });
  }
}

/** The newest result of each delivery. One statement would not apply two results of a delivery in their order. */
function newestPerDelivery(results: readonly Settlement[]): Settlement[] {
  const byDelivery = new Map<string, Settlement>();
  for (const result of results) byDelivery.set(`${result.webhookId} ${result.seq}`, result);
  return [...byDelivery.values()];
}
