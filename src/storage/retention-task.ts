// Periodically deletes messages past the configured retention, delivery statuses of messages that are not stored, and
// expired requests (requests.ts). Decision D-055.
import type { BaseLogger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Messages, Requests } from './storage.ts';

const HOUR_MS = 3_600_000;
/** The first run waits until the instances have connected at startup. */
const FIRST_RUN_DELAY_MS = 60_000;
const DAY_S = 86_400;
const DAY_MS = DAY_S * 1000;
/**
 * ms for which a delivery status is kept without its message. A receipt of the chat partner creates a status for a
 * message id that the chat partner chooses. Without a limit, receipts for invented ids would fill the database.
 */
const STATUS_WAIT_MS = 30 * DAY_MS;

export interface RetentionDeps {
  messages: Pick<Messages, 'prune' | 'pruneStatuses'>;
  requests: Pick<Requests, 'prune'>;
  clock: Clock;
  log: Pick<BaseLogger, 'info' | 'error'>;
  limits: {
    /** Days that messages are kept; 0 keeps them forever. */
    messageRetentionDays: number;
    /** Number of messages kept per instance; 0 keeps all. */
    messageRetentionCount: number;
  };
}

export class RetentionTask {
  readonly #deps: RetentionDeps;
  readonly #hourlyTask: PeriodicTask;
  readonly #dailyTask: PeriodicTask;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    this.#hourlyTask = new PeriodicTask({
      clock: deps.clock,
      first: FIRST_RUN_DELAY_MS,
      every: HOUR_MS,
      work: (signal) => this.#prune(signal),
    });
    // Once a day, because the deletion of statuses reads all statuses.
    this.#dailyTask = new PeriodicTask({
      clock: deps.clock,
      first: HOUR_MS,
      every: DAY_MS,
      work: (signal) => this.#pruneStatuses(signal),
    });
  }

  start(): void {
    this.#hourlyTask.start();
    this.#dailyTask.start();
  }

  /** Interrupts a running deletion. Resolves when it has ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#hourlyTask.stop(), this.#dailyTask.stop()]);
  }

  async #prune(signal: AbortSignal): Promise<void> {
    const { requests, clock, log } = this.#deps;
    await requests.prune(clock.now(), signal).catch((err: unknown) => log.error({ err }, 'requests.prune.failed'));
    await this.#pruneMessages(signal).catch((err: unknown) => log.error({ err }, 'messages.prune.failed'));
  }

  async #pruneMessages(signal: AbortSignal): Promise<void> {
    const { messages, clock, log, limits } = this.#deps;
    const { messageRetentionDays: days, messageRetentionCount: count } = limits;
    // Without a limit, messages are kept forever.
    if (days === 0 && count === 0) return;
    const messageLimits = {
      ...(days > 0 ? { before: Math.floor(clock.now() / 1000) - days * DAY_S } : {}),
      ...(count > 0 ? { keep: count } : {}),
    };
    const removed = await messages.prune(messageLimits, signal);
    log.info({ removed }, 'messages.pruned');
  }

  async #pruneStatuses(signal: AbortSignal): Promise<void> {
    const { messages, clock, log } = this.#deps;
    try {
      const removed = await messages.pruneStatuses(clock.now() - STATUS_WAIT_MS, signal);
      log.info({ removed }, 'statuses.pruned');
    } catch (err) {
      log.error({ err }, 'statuses.prune.failed');
    }
  }
}
