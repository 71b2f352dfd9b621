// Keeps batches that the store failed to record, in memory and in order, and retries them every second. WhatsApp may
// count these messages as received and not send them again. The buffer stays small: a failed batch ends the session
// that delivers messages.
import type { Logger } from 'pino';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';

const RETRY_MS = 1_000;
/** After this many attempts newer batches no longer wait: the store may work again and reject only the failed batch. */
const MAX_BLOCKING_ATTEMPTS = 60;

export interface FailedBatchBufferDeps<Batch> {
  store: (instanceId: string, batch: Batch) => Promise<void>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'error'>;
}

/** The failed batches of one instance. */
interface InstanceBuffer<Batch> {
  /** Oldest first. */
  batches: Batch[];
  attempts: number;
  /** The attempt in progress. */
  running: Promise<void> | undefined;
}

export class FailedBatchBuffer<Batch> {
  readonly #deps: FailedBatchBufferDeps<Batch>;
  readonly #byInstance = new Map<string, InstanceBuffer<Batch>>();

  constructor(deps: FailedBatchBufferDeps<Batch>) {
    this.#deps = deps;
  }

  has(instanceId: string): boolean {
    return this.#byInstance.has(instanceId);
  }

  /** Adds a batch that could not be stored, and starts the retries. */
  add(instanceId: string, batch: Batch): void {
    const buffer = this.#byInstance.get(instanceId);
    if (buffer) {
      buffer.batches.push(batch);
      return;
    }
    this.#byInstance.set(instanceId, { batches: [batch], attempts: 0, running: undefined });
    this.#scheduleRetry(instanceId);
  }

  /** Stores the batches of the instance, oldest first. Rejects when the store fails and newer batches have to wait. */
  async flush(instanceId: string): Promise<void> {
    const buffer = this.#byInstance.get(instanceId);
    if (!buffer) return;
    buffer.running ??= this.#drain(instanceId, buffer).finally(() => {
      buffer.running = undefined;
    });
    try {
      await buffer.running;
    } catch (err) {
      if (buffer.attempts < MAX_BLOCKING_ATTEMPTS) throw err;
    }
  }

  /** Tries all batches once more, at shutdown. Batches that fail are lost, and logged. */
  async flushAll(): Promise<void> {
    await Promise.all([...this.#byInstance.keys()].map((instanceId) => this.release(instanceId)));
  }

  /** Tries the batches of one instance once more and forgets the instance. Batches that fail are lost, and logged. */
  async release(instanceId: string): Promise<void> {
    const buffer = this.#byInstance.get(instanceId);
    if (!buffer) return;
    await this.flush(instanceId).catch(() => undefined);
    const batches = buffer.batches.length;
    if (batches > 0) this.#deps.log.error({ instance: instanceId, batches }, 'event.batch.lost');
    this.#byInstance.delete(instanceId);
  }

  async #drain(instanceId: string, buffer: InstanceBuffer<Batch>): Promise<void> {
    const { batches } = buffer;
    buffer.attempts += 1;
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
    this.#deps.log.info({ instance: instanceId, tries: buffer.attempts }, 'event.batch.recovered');
  }

  #scheduleRetry(instanceId: string): void {
    this.#deps.clock.after(RETRY_MS, () => {
      void this.flush(instanceId)
        .catch(() => undefined)
        .then(() => {
          if (this.has(instanceId)) this.#scheduleRetry(instanceId);
        });
    });
  }
}

/** Whether a store error says that another node owns the instance, so that a retry is useless. */
export const isLeaseLost = (err: unknown): boolean => err instanceof GatewayError && err.code === 'LEASE_LOST';
