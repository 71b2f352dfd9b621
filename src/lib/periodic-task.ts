// Runs a task periodically, never twice at the same time, until it is stopped.
import type { Clock, Timer } from './clock.ts';

export interface PeriodicTaskOptions {
  clock: Pick<Clock, 'after'>;
  /** ms until the first run. */
  first: number;
  /**
   * ms between the starts of two runs. When a run takes longer, the next one starts right after it, and the runs of
   * further intervals are skipped.
   */
  every: number;
  /** One run. Must not reject. stop() aborts `signal`; a long run should then end early. */
  work: (signal: AbortSignal) => Promise<void>;
}

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Whether a run waits for the previous one to end. */
  #isRunWaiting = false;
  readonly #stopping = new AbortController();

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(this.#options.first);
  }

  /** Starts no further run, and aborts the signal of a run in progress. Resolves when that run has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  #schedule(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const { clock, every } = this.#options;
    this.#timer = clock.after(ms, () => {
      this.#startRun();
      this.#schedule(every);
    });
  }

  /** Starts a run when the previous one has ended. Does nothing when a run waits already. */
  #startRun(): void {
    if (this.#isRunWaiting) return;
    this.#isRunWaiting = true;
    this.#running = this.#running.then(async () => {
      this.#isRunWaiting = false;
      if (!this.#stopping.signal.aborted) await this.#options.work(this.#stopping.signal);
    });
  }
}
