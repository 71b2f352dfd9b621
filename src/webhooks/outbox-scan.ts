// Finds the lanes with waiting deliveries in the outbox, at the start and on request. A lane is a queue of a webhook.
// One scan runs at a time; a failed scan is retried.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Outbox } from '../storage/webhook-stores.ts';

/** ms before a failed scan is retried. */
const RETRY_MS = 1_000;

export interface OutboxScanDeps {
  outbox: Pick<Outbox, 'listWaitingLanes'>;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** Called for every lane with waiting deliveries. */
  onLane(webhookId: string, lane: number): void;
}

export class OutboxScan {
  readonly #deps: OutboxScanDeps;
  #isRunning = false;
  #isRequested = false;

  constructor(deps: OutboxScanDeps) {
    this.#deps = deps;
  }

  /** Starts a scan. If a scan is running, another one follows it. */
  request(): void {
    this.#isRequested = true;
    if (this.#isRunning) return;
    this.run().catch((err: unknown) => {
      this.#deps.log.error({ err }, 'webhook.outbox_scan.failed');
      this.#deps.clock.after(RETRY_MS, () => this.request());
    });
  }

  /**
   * Scans, and repeats the scan if one was requested meanwhile. Resolves after the last scan. Rejects when the store
   * cannot be read.
   */
  async run(): Promise<void> {
    this.#isRunning = true;
    try {
      do {
        this.#isRequested = false;
        for (const { webhookId, lane } of await this.#deps.outbox.listWaitingLanes())
          this.#deps.onLane(webhookId, lane);
      } while (this.#isRequested);
    } finally {
      this.#isRunning = false;
    }
  }
}
