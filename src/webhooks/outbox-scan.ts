// Looks through the whole outbox for lanes with work: once at a time, again when asked meanwhile, later when the store fails.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Outbox } from '../storage/webhook-stores.ts';

/** After the store failed, ms. */
const RETRY_MS = 1_000;

export interface OutboxScanDeps {
  outbox: Pick<Outbox, 'backlog'>;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  onLane(webhookId: string, lane: number): void;
}

export class OutboxScan {
  readonly #deps: OutboxScanDeps;
  #isRunning = false;
  #again = false;

  constructor(deps: OutboxScanDeps) {
    this.#deps = deps;
  }

  /** Asks for a look; it comes in time. */
  request(): void {
    this.#again = true;
    if (this.#isRunning) return;
    this.run().catch((err: unknown) => {
      this.#deps.log.error({ err }, 'webhook.backlog_unreadable');
      this.#deps.clock.after(RETRY_MS, () => this.request());
    });
  }

  /** Looks now. Rejects when the store cannot be read. */
  async run(): Promise<void> {
    this.#isRunning = true;
    try {
      do {
        this.#again = false;
        for (const { webhookId, lane } of await this.#deps.outbox.backlog()) this.#deps.onLane(webhookId, lane);
      } while (this.#again);
    } finally {
      this.#isRunning = false;
    }
  }
}
