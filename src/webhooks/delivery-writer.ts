// Writes results of attempts to the outbox in batches: whatever came in during one tick is one transaction. Never drops any.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { atTurnEnd } from '../lib/turn-end.ts';
import type { Outbox, Settlement } from '../storage/webhook-stores.ts';

const RETRY_MS = 1_000;

export interface DeliveryWriterDeps {
  outbox: Pick<Outbox, 'settle'>;
  /** Hears of what is stored. */
  onSettled?: ((settlements: readonly Settlement[]) => void) | undefined;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

export class DeliveryWriter {
  readonly #deps: DeliveryWriterDeps;
  #queue: Settlement[] = [];
  #running: Promise<void> | null = null;
  #scheduled = false;

  constructor(deps: DeliveryWriterDeps) {
    this.#deps = deps;
  }

  add(settlement: Settlement): void {
    this.#queue.push(settlement);
    if (this.#scheduled) return;
    this.#scheduled = true;
    atTurnEnd('collect', () => this.#flushLater());
  }

  /** Resolves when everything added so far is stored. Rejects when the store does; what was not written stays queued. */
  async flush(): Promise<void> {
    if (this.#queue.length > 0) this.#running ??= this.#drain();
    await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        // Of several results of one delivery the newest counts; in one statement their order would not.
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

  #flushLater(): void {
    this.#scheduled = false;
    this.flush().catch((err: unknown) => {
      this.#deps.log.error({ err, waiting: this.#queue.length }, 'webhook.settle_failed');
      this.#scheduled = true;
      this.#deps.clock.after(RETRY_MS, () => this.#flushLater());
    });
  }
}
