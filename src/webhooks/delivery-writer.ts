// Writes results of attempts to the outbox. The results of one turn of the event loop are one transaction. No result is
// lost while the process runs: a failed write is retried.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { atTurnEnd } from '../lib/event-loop-turn.ts';
import type { Outbox, Settlement } from '../storage/webhook-stores.ts';

/** ms before a failed write is retried. */
const RETRY_MS = 1_000;

export interface DeliveryWriterDeps {
  outbox: Pick<Outbox, 'settle'>;
  /** Called with stored results. */
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

  /** Resolves when all results so far are stored. Rejects when the store fails; the results stay queued. */
  async flush(): Promise<void> {
    if (this.#queue.length > 0) this.#running ??= this.#drain();
    await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        // The newest result of a delivery counts. One statement with two results of a delivery would not keep their
        // order.
        const batch = [...new Map(this.#queue.map((one) => [`${one.webhookId} ${one.seq}`, one])).values()];
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

  #writeScheduled(): void {
    this.#isScheduled = false;
    this.flush().catch((err: unknown) => {
      this.#deps.log.error({ err, waiting: this.#queue.length }, 'webhook.result_write.failed');
      this.#isScheduled = true;
      this.#deps.clock.after(RETRY_MS, () => this.#writeScheduled());
    });
  }
}
