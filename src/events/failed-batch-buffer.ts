// What the store refused, kept in order and offered again until it takes it: the platform may count these messages as received
// and will not send them again. Little comes together here, because a refusal ends the session that delivers.
import { GatewayError } from '../errors.ts';
import type { Log } from '../instances/connection-notifier.ts';
import type { Clock } from '../lib/clock.ts';

/** ms between two offers. */
const RETRY_MS = 1_000;
/** Offers after which newer batches no longer wait: by then the store may be well and the batch itself the trouble. */
const PATIENT_TRIES = 60;

export interface FailedBatchBufferDeps<Batch> {
  store: (instanceId: string, batch: Batch) => Promise<void>;
  clock: Clock;
  log: Log;
}

interface Waiting<Batch> {
  /** Oldest first. */
  batches: Batch[];
  tries: number;
  running: Promise<void> | undefined;
}

export class FailedBatchBuffer<Batch> {
  readonly #deps: FailedBatchBufferDeps<Batch>;
  readonly #byInstance = new Map<string, Waiting<Batch>>();

  constructor(deps: FailedBatchBufferDeps<Batch>) {
    this.#deps = deps;
  }

  has(instanceId: string): boolean {
    return this.#byInstance.has(instanceId);
  }

  keep(instanceId: string, batch: Batch): void {
    const known = this.#byInstance.get(instanceId);
    if (known) {
      known.batches.push(batch);
      return;
    }
    this.#byInstance.set(instanceId, { batches: [batch], tries: 0, running: undefined });
    this.#offerLater(instanceId);
  }

  /** Offers what waits for the instance, oldest first. Rejects when the store refuses, and newer batches have to wait. */
  async flush(instanceId: string): Promise<void> {
    const waiting = this.#byInstance.get(instanceId);
    if (!waiting) return;
    waiting.running ??= this.#drain(instanceId, waiting).finally(() => {
      waiting.running = undefined;
    });
    try {
      await waiting.running;
    } catch (err) {
      if (waiting.tries < PATIENT_TRIES) throw err;
    }
  }

  /** One last offer of everything; what is refused now is lost with the process, and said so. */
  async settle(): Promise<void> {
    await Promise.all([...this.#byInstance.keys()].map((instance) => this.part(instance)));
  }

  /** The same for one instance. */
  async part(instanceId: string): Promise<void> {
    const waiting = this.#byInstance.get(instanceId);
    if (!waiting) return;
    await this.flush(instanceId).catch(() => undefined);
    const batches = waiting.batches.length;
    if (batches > 0) this.#deps.log.error({ instance: instanceId, batches }, 'ingest.lost');
    this.#byInstance.delete(instanceId);
  }

  async #drain(instanceId: string, waiting: Waiting<Batch>): Promise<void> {
    const { batches } = waiting;
    waiting.tries += 1;
    for (let [oldest] = batches; oldest; [oldest] = batches) {
      try {
        await this.#deps.store(instanceId, oldest);
      } catch (err) {
        if (isLeaseLost(err)) this.#byInstance.delete(instanceId);
        throw err;
      }
      batches.shift();
    }
    this.#byInstance.delete(instanceId);
    this.#deps.log.info({ instance: instanceId, tries: waiting.tries }, 'ingest.caught_up');
  }

  #offerLater(instanceId: string): void {
    this.#deps.clock.after(RETRY_MS, () => {
      void this.flush(instanceId)
        .catch(() => undefined)
        .then(() => {
          if (this.has(instanceId)) this.#offerLater(instanceId);
        });
    });
  }
}

/** The instance is another process's: it finds in the store what was not done with, and offering it again is of no use. */
export const isLeaseLost = (err: unknown): boolean => err instanceof GatewayError && err.code === 'LEASE_LOST';
