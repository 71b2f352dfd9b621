// Who may run now: a bound on all jobs together and on those of one key (an origin). Keys take turns, so a slow one waits alone.

type Job = () => Promise<void>;

interface Queue {
  active: number;
  readonly waiting: Job[];
}

export class FairScheduler {
  readonly #total: number;
  readonly #perKey: number;
  readonly #queues = new Map<string, Queue>();
  /** Keys that have a job waiting and room for it, in the order in which they are served. */
  readonly #ready = new Set<string>();
  readonly #idle: (() => void)[] = [];
  #active = 0;

  constructor({ total, perKey }: { total: number; perKey: number }) {
    this.#total = total;
    this.#perKey = perKey;
  }

  /** Runs `job` when there is room; it must not reject. */
  add(key: string, job: Job): void {
    const queue = this.#queues.get(key) ?? { active: 0, waiting: [] };
    this.#queues.set(key, queue);
    queue.waiting.push(job);
    this.#offer(key, queue);
    this.#serve();
  }

  /** Forgets what has not started; resolves when what has is done. */
  async close(): Promise<void> {
    for (const queue of this.#queues.values()) queue.waiting.length = 0;
    this.#ready.clear();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #offer(key: string, queue: Queue): void {
    if (queue.waiting.length > 0 && queue.active < this.#perKey) this.#ready.add(key);
  }

  #serve(): void {
    for (const key of this.#ready) {
      if (this.#active >= this.#total) return;
      this.#ready.delete(key);
      const queue = this.#queues.get(key);
      const job = queue?.waiting.shift();
      if (queue === undefined || job === undefined) continue;
      queue.active++;
      this.#active++;
      // Back of the line: a Set's iteration reaches keys that are added while it runs.
      this.#offer(key, queue);
      void job().finally(() => this.#done(key, queue));
    }
  }

  #done(key: string, queue: Queue): void {
    queue.active--;
    this.#active--;
    this.#offer(key, queue);
    if (queue.active === 0 && queue.waiting.length === 0) this.#queues.delete(key);
    this.#serve();
    if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
