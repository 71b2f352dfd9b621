// Runs jobs concurrently, up to a total limit and a limit per key (the origin of a webhook's URL). Keys take turns, so
// that a slow receiver does not delay the others.

type Job = () => Promise<void>;

interface Queue {
  /** Number of running jobs of the key. */
  activeCount: number;
  readonly waiting: Job[];
}

export class FairScheduler {
  readonly #total: number;
  readonly #perKey: number;
  readonly #queues = new Map<string, Queue>();
  /** Keys that have a waiting job and are below their limit, in the order of their turns. */
  readonly #ready = new Set<string>();
  readonly #onIdle: (() => void)[] = [];
  #activeCount = 0;

  constructor({ total, perKey }: { total: number; perKey: number }) {
    this.#total = total;
    this.#perKey = perKey;
  }

  /** Number of jobs that are running. */
  get activeCount(): number {
    return this.#activeCount;
  }

  /** Runs `job` as soon as the limits allow it. The job must not reject. */
  add(key: string, job: Job): void {
    const queue = this.#queues.get(key) ?? { activeCount: 0, waiting: [] };
    this.#queues.set(key, queue);
    queue.waiting.push(job);
    this.#markReady(key, queue);
    this.#runReady();
  }

  /** Drops the jobs that have not started, and resolves when the running jobs are done. */
  async close(): Promise<void> {
    for (const queue of this.#queues.values()) queue.waiting.length = 0;
    this.#ready.clear();
    if (this.#activeCount > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #markReady(key: string, queue: Queue): void {
    if (queue.waiting.length > 0 && queue.activeCount < this.#perKey) this.#ready.add(key);
  }

  #runReady(): void {
    for (const key of this.#ready) {
      if (this.#activeCount >= this.#total) return;
      this.#ready.delete(key);
      const queue = this.#queues.get(key);
      const job = queue?.waiting.shift();
      if (queue === undefined || job === undefined) continue;
      queue.activeCount++;
      this.#activeCount++;
      // Adds the key to the end of the set while it can run another job. The loop reaches it again, because a Set also
      // iterates over keys that are added during the iteration.
      this.#markReady(key, queue);
      void job().finally(() => this.#onDone(key, queue));
    }
  }

  #onDone(key: string, queue: Queue): void {
    queue.activeCount--;
    this.#activeCount--;
    this.#markReady(key, queue);
    if (queue.activeCount === 0 && queue.waiting.length === 0) this.#queues.delete(key);
    this.#runReady();
    if (this.#activeCount === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
