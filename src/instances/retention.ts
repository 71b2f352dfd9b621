// Removes old messages now and then, as far as the settings ask for it. The store does it in small steps; nobody waits for it.
import type { Clock, Timer } from '../lib/clock.ts';
import type { Messages } from '../storage/storage.ts';
import type { Log } from './notify.ts';

const EVERY_MS = 3_600_000;
/** Soon after a start, but not while everybody connects. */
const FIRST_MS = 60_000;
const DAY_S = 86_400;

export interface RetentionDeps {
  messages: Pick<Messages, 'prune'>;
  clock: Clock;
  log: Log;
  limits: {
    /** Days that messages are kept; 0 keeps them for ever. */
    messageRetentionDays: number;
    /** Messages kept per instance; 0 keeps all. */
    messageRetentionCount: number;
  };
}

export class Retention {
  readonly #deps: RetentionDeps;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Does nothing when everything is kept. */
  start(): void {
    const { messageRetentionDays: days, messageRetentionCount: count } = this.#deps.limits;
    if (days > 0 || count > 0) this.#next(FIRST_MS);
  }

  /** Resolves when a removal under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #next(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.after(ms, () => {
      this.#running = this.#prune().finally(() => this.#next(EVERY_MS));
    });
  }

  async #prune(): Promise<void> {
    const { messages, clock, log, limits } = this.#deps;
    const { messageRetentionDays: days, messageRetentionCount: count } = limits;
    try {
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
