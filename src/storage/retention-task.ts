// Removes old messages now and then, as far as the settings ask for it, and requests whose answer is no longer kept. The store does it in
// small steps; nobody waits for it.
import type { BaseLogger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Messages, Requests } from './storage.ts';

const EVERY_MS = 3_600_000;
/** Soon after a start, but not while everybody connects. */
const FIRST_MS = 60_000;
const DAY_S = 86_400;

export interface RetentionDeps {
  messages: Pick<Messages, 'prune'>;
  requests: Pick<Requests, 'prune'>;
  clock: Clock;
  log: Pick<BaseLogger, 'info' | 'error'>;
  limits: {
    /** Days that messages are kept; 0 keeps them for ever. */
    messageRetentionDays: number;
    /** Messages kept per instance; 0 keeps all. */
    messageRetentionCount: number;
  };
}

export class RetentionTask {
  readonly #deps: RetentionDeps;
  readonly #rounds: PeriodicTask;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    this.#rounds = new PeriodicTask({ clock: deps.clock, first: FIRST_MS, every: EVERY_MS, work: () => this.#prune() });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Resolves when a removal under way has ended. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #prune(): Promise<void> {
    const { messages, requests, clock, log, limits } = this.#deps;
    const { messageRetentionDays: days, messageRetentionCount: count } = limits;
    try {
      await requests.prune(clock.now());
      // Everything is kept.
      if (days === 0 && count === 0) return;
      const removed = await messages.prune({
        ...(days > 0 ? { before: Math.floor(clock.now() / 1000) - days * DAY_S } : {}),
        ...(count > 0 ? { keep: count } : {}),
      });
      log.info({ removed }, 'messages.pruned');
    } catch (err) {
      log.error({ err }, 'messages.prune_failed');
    }
  }
}
