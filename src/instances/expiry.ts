// Deletes instances that are unused for the time that DEL_INSTANCE sets. An open instance is in use. An instance with a
// linked account is also in use while it reconnects, after it was stopped, and while it is blocked by a fault of the
// gateway. All other instances are unused. Decision D-127.
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { DisconnectCause } from './disconnect-causes.ts';
import type { Instance } from './instance.ts';
import { REST_PHASES } from './state-machine.ts';

type ExpirableInstance = Pick<Instance, 'id' | 'name' | 'row' | 'status' | 'shutDown'>;

export interface ExpiryDeps<Managed extends ExpirableInstance> {
  manager: { list(): Managed[]; delete(instance: Managed): Promise<void> };
  /** Only for the timer of the checks. `now` supplies the times. */
  clock: Pick<Clock, 'after'>;
  /** The current time in ms, by a monotonic clock: a change of the system time must not affect it. */
  now(): number;
  log: Log;
  /** Minutes that an instance may be unused; 0 disables the deletion. */
  maxUnusedMinutes: number;
}

const MINUTE_MS = 60_000;
const CHECK_INTERVAL_MS = 15_000;
/**
 * Phases in which an instance with a linked account is in use: it reconnects, closes its socket, or was stopped by a
 * user or an export.
 */
const IN_USE_WHEN_LINKED: ReadonlySet<string> = new Set(['connecting', 'backoff', 'closing', 'stopped']);
/** Causes of the phase `blocked` that are no fault of the account. They can affect all instances at once. */
const GATEWAY_FAULTS: ReadonlySet<string | null> = new Set<DisconnectCause>(['outdated', 'unreadable']);

/** Since when an instance is unused. Time before the start of this process does not count. */
interface UnusedTime {
  /** ms, by `now` of the dependencies. */
  since: number;
  /** Whether the instance was stopped, blocked or logged out (REST_PHASES) at the last check. */
  isAtRest: boolean;
}

export class InstanceExpiry<Managed extends ExpirableInstance> {
  readonly #deps: ExpiryDeps<Managed>;
  readonly #task: PeriodicTask;
  #isStopped = false;
  /** The instance whose deletion is in progress. */
  #deleting: Managed | undefined;
  /** By id of the unused instance. */
  #unused = new Map<string, UnusedTime>();

  constructor(deps: ExpiryDeps<Managed>) {
    this.#deps = deps;
    this.#task = new PeriodicTask({
      clock: deps.clock,
      first: CHECK_INTERVAL_MS,
      every: CHECK_INTERVAL_MS,
      work: () => this.run(),
    });
  }

  /** Begins to measure the unused time of every instance, and checks it every 15 s. */
  start(): void {
    if (this.#deps.maxUnusedMinutes === 0) return;
    this.#updateUnused();
    this.#task.start();
  }

  /**
   * Ends the checks, and interrupts a deletion in progress. Resolves when both have ended. Only for the end of the
   * process.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#task.stop(), this.#deleting?.shutDown()]);
  }

  /** Deletes the instances that are unused for the configured time. */
  async run(): Promise<void> {
    const { manager, now, log, maxUnusedMinutes } = this.#deps;
    this.#updateUnused();
    for (const instance of manager.list()) {
      const unused = this.#unused.get(instance.id);
      // isUnused is checked again, because earlier deletions take time and the instance may have been linked meanwhile.
      if (this.#isStopped || !unused || !isUnused(instance)) continue;
      if (now() - unused.since < maxUnusedMinutes * MINUTE_MS) continue;
      const { phase, cause } = instance.status();
      log.warn({ instance: instance.name, phase, cause, minutes: maxUnusedMinutes }, 'instance.expired');
      this.#deleting = instance;
      try {
        await manager.delete(instance);
      } catch (err) {
        if (!this.#isStopped) log.error({ instance: instance.name, err }, 'instance.expiry.failed');
      }
      this.#deleting = undefined;
    }
  }

  /**
   * Updates `#unused`. When an instance leaves REST_PHASES, its unused time restarts, so that a user has the whole
   * configured time to link it.
   */
  #updateUnused(): void {
    const now = this.#deps.now();
    const unused = this.#deps.manager.list().filter(isUnused);
    this.#unused = new Map(
      unused.map((instance) => {
        const isAtRest = REST_PHASES.has(instance.status().phase);
        const previous = this.#unused.get(instance.id);
        const hasLeftRest = previous?.isAtRest === true && !isAtRest;
        return [instance.id, { since: previous && !hasLeftRest ? previous.since : now, isAtRest }];
      }),
    );
  }
}

/**
 * False for an open instance and for a deleted one. Also false for three kinds of instances with a linked account: one
 * that reconnects, because an outage can last long; one that was stopped, because its session may exist nowhere else;
 * and one that a fault of the gateway blocks, because it works again after an upgrade or a repair.
 */
function isUnused(instance: ExpirableInstance): boolean {
  const { phase, cause } = instance.status();
  if (phase === 'open' || phase === 'deleted') return false;
  const isInUseWhenLinked = IN_USE_WHEN_LINKED.has(phase) || (phase === 'blocked' && GATEWAY_FAULTS.has(cause));
  const isLinked = instance.row.ownerJid !== null;
  return !(isLinked && isInUseWhenLinked);
}
