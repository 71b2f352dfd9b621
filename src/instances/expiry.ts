// Deletes instances that are of no use to anybody (DEL_INSTANCE): not open, and not on their way back to an account, for so long.
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Log } from './connection-notifier.ts';
import type { Instance } from './instance.ts';

type Seen = Pick<Instance, 'id' | 'name' | 'row' | 'status'>;

export interface ExpiryDeps<One extends Seen> {
  manager: { list(): One[]; delete(instance: One): Promise<void> };
  clock: Clock;
  log: Log;
  /** Minutes; 0: nothing is ever deleted. */
  minutes: number;
}

const EVERY_MS = 15_000;
const resting = new Set(['stopped', 'blocked', 'logged_out']);
const returning = new Set(['connecting', 'backoff', 'closing']);

/** Since when an instance is of no use, as far as this process has seen. */
interface Idle {
  /** Epoch ms. */
  since: number;
  isResting: boolean;
}

export class InstanceExpiry<One extends Seen> {
  readonly #deps: ExpiryDeps<One>;
  readonly #rounds: PeriodicTask;
  #isStopped = false;
  #idle = new Map<string, Idle>();

  constructor(deps: ExpiryDeps<One>) {
    this.#deps = deps;
    this.#rounds = new PeriodicTask({ clock: deps.clock, first: EVERY_MS, every: EVERY_MS, work: () => this.look() });
  }

  /** Every instance has its whole time from now on. */
  start(): void {
    if (this.#deps.minutes === 0) return;
    this.#note();
    this.#rounds.start();
  }

  /** Resolves when a deletion under way has ended. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#rounds.stop();
  }

  /** One round: deletes those whose time is up. */
  async look(): Promise<void> {
    const { manager, clock, log, minutes } = this.#deps;
    this.#note();
    for (const instance of manager.list()) {
      const idle = this.#idle.get(instance.id);
      // Asked again: deletions take their time, and somebody may have linked it meanwhile.
      if (this.#isStopped || !idle || !isIdle(instance) || clock.now() - idle.since < minutes * 60_000) continue;
      const { phase, cause } = instance.status();
      log.warn({ instance: instance.name, phase, cause, minutes }, 'instance.expired');
      await manager
        .delete(instance)
        .catch((err: unknown) => log.error({ instance: instance.name, err }, 'instance.expire_failed'));
    }
  }

  /** Whoever starts a resting instance, to link it, has the whole time for that. */
  #note(): void {
    const now = this.#deps.clock.now();
    const idle = this.#deps.manager.list().filter(isIdle);
    this.#idle = new Map(
      idle.map((instance) => {
        const isResting = resting.has(instance.status().phase);
        const before = this.#idle.get(instance.id);
        const goesOn = before && (isResting || !before.isResting);
        return [instance.id, { since: goesOn ? before.since : now, isResting }];
      }),
    );
  }
}

/** An account whose connection is lost is coming back, however long that takes: its network may be down, or the platform. */
function isIdle(instance: Seen): boolean {
  const { phase } = instance.status();
  if (phase === 'open' || phase === 'deleted') return false;
  return !(instance.row.ownerJid !== null && returning.has(phase));
}
