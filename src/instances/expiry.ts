// Deletes unused instances (DEL_INSTANCE): those that were neither open nor reconnecting to a linked account for the
// configured time.
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Instance } from './instance.ts';

type ExpirableInstance = Pick<Instance, 'id' | 'name' | 'row' | 'status'>;

export interface ExpiryDeps<One extends ExpirableInstance> {
  manager: { list(): One[]; delete(instance: One): Promise<void> };
  clock: Clock;
  log: Log;
  /** Minutes; 0 disables the deletion. */
  minutes: number;
}

const EVERY_MS = 15_000;
const REST_PHASES: ReadonlySet<string> = new Set(['stopped', 'blocked', 'logged_out']);
const RECONNECT_PHASES: ReadonlySet<string> = new Set(['connecting', 'backoff', 'closing']);

/** How long an instance has been unused, as far as this process knows. */
interface UnusedTime {
  /** Epoch ms. */
  since: number;
  isAtRest: boolean;
}

export class InstanceExpiry<One extends ExpirableInstance> {
  readonly #deps: ExpiryDeps<One>;
  readonly #task: PeriodicTask;
  #isStopped = false;
  #unused = new Map<string, UnusedTime>();

  constructor(deps: ExpiryDeps<One>) {
    this.#deps = deps;
    this.#task = new PeriodicTask({ clock: deps.clock, first: EVERY_MS, every: EVERY_MS, work: () => this.run() });
  }

  /** Starts the time of every instance now, and then checks every 15 s. */
  start(): void {
    if (this.#deps.minutes === 0) return;
    this.#updateUnused();
    this.#task.start();
  }

  /** Resolves when a running deletion has ended. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#task.stop();
  }

  /** Checks once, and deletes the instances whose time is over. */
  async run(): Promise<void> {
    const { manager, clock, log, minutes } = this.#deps;
    this.#updateUnused();
    for (const instance of manager.list()) {
      const unused = this.#unused.get(instance.id);
      // Checked again, because the deletions before this one take time and the instance may be linked by now.
      if (this.#isStopped || !unused || !isUnused(instance) || clock.now() - unused.since < minutes * 60_000) continue;
      const { phase, cause } = instance.status();
      log.warn({ instance: instance.name, phase, cause, minutes }, 'instance.expired');
      await manager
        .delete(instance)
        .catch((err: unknown) => log.error({ instance: instance.name, err }, 'instance.expiry.failed'));
    }
  }

  /** Restarts the time of an instance that left a state at rest: linking it may take the whole time. */
  #updateUnused(): void {
    const now = this.#deps.clock.now();
    const unused = this.#deps.manager.list().filter(isUnused);
    this.#unused = new Map(
      unused.map((instance) => {
        const isAtRest = REST_PHASES.has(instance.status().phase);
        const before = this.#unused.get(instance.id);
        const continues = before && (isAtRest || !before.isAtRest);
        return [instance.id, { since: continues ? before.since : now, isAtRest }];
      }),
    );
  }
}

/**
 * False for an open instance, and for a linked account that reconnects: an outage of the network or the platform may
 * last long.
 */
function isUnused(instance: ExpirableInstance): boolean {
  const { phase } = instance.status();
  if (phase === 'open' || phase === 'deleted') return false;
  return !(instance.row.ownerJid !== null && RECONNECT_PHASES.has(phase));
}
