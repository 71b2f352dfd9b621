// Work that is done now and then: one round after the other, never two at once, until it is stopped.
import type { Clock, Timer } from './clock.ts';

export interface PeriodicTaskOptions {
  clock: Clock;
  /** ms until the first round. */
  first: number;
  /** ms from the beginning of a round to the next one, which waits if the one before is still under way. */
  every: number;
  /** One round; deals with its own failures. */
  work: () => Promise<void>;
}

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  start(): void {
    this.#next(this.#options.first);
  }

  /** Resolves when a round under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #next(ms: number): void {
    if (this.#isStopped) return;
    const { clock, every, work } = this.#options;
    this.#timer = clock.after(ms, () => {
      this.#running = this.#running.then(work);
      this.#next(every);
    });
  }
}
