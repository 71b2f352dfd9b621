// Keeps failed batches (event batches that could not be stored) in memory, and retries them every second in order.
// Without the buffer, the messages in the batches would be lost, because WhatsApp may not send a message a second time.
// The buffer stays small: the caller ends the WhatsApp session after a failure, so that few more batches follow.
import type { Logger } from 'pino';
import { hasCode } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';

const RETRY_MS = 1_000;
/**
 * From this attempt on, a batch that can never be stored no longer blocks newer batches. An attempt skips a failed
 * batch in the buffer, and flush() no longer rejects, so that its caller (recorder.ts) continues with a newer batch.
 */
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
  /** Number of attempts to store the batches of this buffer. */
  attempts: number;
  /**
   * Index of the batch behind the one at which the previous attempt stopped; 0 when the previous attempt reached the
   * end. See #drain().
   */
  nextIndex: number;
  /** The attempt in progress, if any. */
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

  /** Adds a batch that could not be stored, and retries it until it is stored or discarded. */
  add(instanceId: string, batch: Batch): void {
    const buffer = this.#byInstance.get(instanceId);
    if (buffer) {
      buffer.batches.push(batch);
      return;
    }
    const added: InstanceBuffer<Batch> = { batches: [batch], attempts: 0, nextIndex: 0, running: undefined };
    this.#byInstance.set(instanceId, added);
    this.#scheduleRetry(instanceId, added);
  }

  /**
   * Tries to store the batches of the instance, oldest first. Rejects when a batch cannot be stored. From attempt
   * number MAX_BLOCKING_ATTEMPTS on, resolves in this case too.
   */
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

  /** Makes a last attempt for all instances and discards the batches that fail again. For the shutdown. */
  async flushAndDiscardAll(): Promise<void> {
    await Promise.all([...this.#byInstance.keys()].map((instanceId) => this.flushAndDiscard(instanceId)));
  }

  /** Makes a last attempt for one instance. Batches that fail again are discarded, and their number is logged. */
  async flushAndDiscard(instanceId: string): Promise<void> {
    const buffer = this.#byInstance.get(instanceId);
    if (!buffer) return;
    await this.flush(instanceId).catch(() => undefined);
    const batches = buffer.batches.length;
    if (batches > 0) this.#deps.log.error({ instance: instanceId, batches }, 'event.batch.lost');
    this.#byInstance.delete(instanceId);
  }

  /**
   * Makes one attempt to store the batches, oldest first. Rejects when a batch failed.
   * - Before attempt number MAX_BLOCKING_ATTEMPTS, an attempt stops at the first batch that fails.
   * - From this number on, an attempt skips a failed batch. After its first failure, the attempt continues at
   *   `nextIndex`, so that later attempts reach all batches. The attempt stops when two batches in a row fail, because
   *   the store is then probably down.
   */
  async #drain(instanceId: string, buffer: InstanceBuffer<Batch>): Promise<void> {
    const { batches } = buffer;
    buffer.attempts += 1;
    let index = 0;
    let hasPreviousFailed = false;
    let failure: { error: unknown } | undefined;
    while (true) {
      const batch = batches[index];
      if (batch === undefined) break;
      try {
        await this.#deps.store(instanceId, batch);
        batches.splice(index, 1);
        hasPreviousFailed = false;
      } catch (error) {
        // Another node owns the instance, so this node cannot store the batches. They are discarded.
        if (isLeaseLost(error)) this.#byInstance.delete(instanceId);
        if (isLeaseLost(error) || buffer.attempts < MAX_BLOCKING_ATTEMPTS) throw error;
        index += 1;
        if (hasPreviousFailed) {
          buffer.nextIndex = index;
          throw error;
        }
        if (!failure && buffer.nextIndex < batches.length) index = Math.max(index, buffer.nextIndex);
        failure = { error };
        hasPreviousFailed = true;
      }
    }
    buffer.nextIndex = 0;
    if (failure) throw failure.error;
    this.#byInstance.delete(instanceId);
    this.#deps.log.info({ instance: instanceId, tries: buffer.attempts }, 'event.batch.recovered');
  }

  #scheduleRetry(instanceId: string, buffer: InstanceBuffer<Batch>): void {
    // The map drops a buffer when all its batches are stored. A later failure creates a new buffer with its own timer.
    const isCurrent = () => this.#byInstance.get(instanceId) === buffer;
    this.#deps.clock.after(RETRY_MS, () => {
      if (!isCurrent()) return;
      void this.flush(instanceId)
        .catch(() => undefined)
        .then(() => {
          if (isCurrent()) this.#scheduleRetry(instanceId, buffer);
        });
    });
  }
}

/** Whether an error of the store says that another node owns the instance. A retry is then useless. */
export const isLeaseLost = (err: unknown): boolean => hasCode(err, 'LEASE_LOST');
