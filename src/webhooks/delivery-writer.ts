// Writes the results of attempts to deliver (AttemptRecord) to the outbox, which stores the deliveries of webhooks. One
// transaction contains all results of one turn of the event loop, or of several turns while other attempts are in
// flight. A failed write is retried, so no result is lost while the process runs.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { atTurnEnd } from '../lib/event-loop-turn.ts';
import type { AttemptRecord, Outbox } from '../storage/webhook-stores.ts';

/** ms before a failed write is retried. */
const RETRY_MS = 1_000;
/** Maximum number of turns of the event loop that results wait for the results of other attempts. */
const MAX_TURNS = 4;
/** This many queued results are written at the end of the current turn. They do not wait for further turns. */
const FULL_BATCH = 64;

export interface DeliveryWriterDeps {
  outbox: Pick<Outbox, 'recordAttempts'>;
  /** Whether attempts are in flight, so that further results follow. */
  isBusy: () => boolean;
  /** Called with results after they were stored. */
  onRecorded?: ((attempts: readonly AttemptRecord[]) => void) | undefined;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

export class DeliveryWriter {
  readonly #deps: DeliveryWriterDeps;
  #queue: AttemptRecord[] = [];
  #running: Promise<void> | null = null;
  /** Whether a write is scheduled: at the end of a turn, or as a retry. */
  #isScheduled = false;

  constructor(deps: DeliveryWriterDeps) {
    this.#deps = deps;
  }

  add(attempt: AttemptRecord): void {
    this.#queue.push(attempt);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#writeWithin(MAX_TURNS);
  }

  /** Writes the results at the end of one of the next `turns` turns. The current turn is the first of them. */
  #writeWithin(turns: number): void {
    atTurnEnd(() => {
      if (turns > 1 && this.#queue.length < FULL_BATCH && this.#deps.isBusy()) this.#writeWithin(turns - 1);
      else this.#writeScheduled();
    });
  }

  /** Resolves when all results added so far are stored. Rejects when the store fails; the results stay queued. */
  async flush(): Promise<void> {
    if (this.#queue.length > 0) this.#running ??= this.#drain();
    await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const batch = pickNewestPerDelivery(this.#queue);
        this.#queue = [];
        await this.#deps.outbox.recordAttempts(batch).catch((err: unknown) => {
          this.#queue = [...batch, ...this.#queue];
          throw err;
        });
        this.#deps.onRecorded?.(batch);
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

/**
 * Returns the newest result of each delivery. `results` are in the order of the attempts. The results are written with
 * one SQL statement, which would not apply two results of one delivery in order.
 */
function pickNewestPerDelivery(results: readonly AttemptRecord[]): AttemptRecord[] {
  const byDelivery = new Map<string, AttemptRecord>();
  for (const result of results) byDelivery.set(`${result.webhookId} ${result.seq}`, result);
  return [...byDelivery.values()];
}
