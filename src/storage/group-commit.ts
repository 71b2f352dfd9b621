// Commits units of work of one owner (an instance) together on PostgreSQL. Units that arrive in one turn of the event
// loop, or while the previous group of the owner runs, form a group. A group is one transaction, because BEGIN and
// COMMIT cost more round trips than the statements between them. Decision D-181.
import { afterTurnEnd } from '../lib/event-loop-turn.ts';
import type { StatementBatch, Work } from './database.ts';

/** Maximum number of units per group, to keep transactions short. */
const MAX_GROUP_SIZE = 64;

/**
 * A unit of work: a generator function (`work`), or a function that returns batches of statements (`batches`). The
 * result of a unit with `batches` is undefined. Each function must be repeatable, because it is called again when the
 * group of its unit has failed.
 */
export type CommitUnit = { work: () => Work<unknown> } | { batches: () => readonly StatementBatch[] };

type QueuedUnit = CommitUnit & {
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

interface GroupOptions {
  /** Runs units of one owner in order, all or nothing. Resolves with their results. */
  run: (owner: string, units: readonly CommitUnit[]) => Promise<readonly unknown[]>;
  /** Whether a single unit can have caused the failure of its group. If so, each unit of the group runs again alone. */
  canBeCausedByUnit: (error: unknown) => boolean;
}

export class GroupCommit {
  readonly #options: GroupOptions;
  /** The waiting units by owner. An owner has an entry, which can be empty, while a unit of the owner waits or runs. */
  readonly #queues = new Map<string, QueuedUnit[]>();
  /** Resolved when no unit waits or runs, and then replaced by a new promise. */
  #whenIdle = Promise.withResolvers<void>();

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  /** Runs the unit after all earlier units of the owner. Resolves with its result when its group is committed. */
  add(owner: string, unit: CommitUnit): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const queued = { ...unit, resolve, reject };
      const queue = this.#queues.get(owner);
      if (queue) {
        queue.push(queued);
        return;
      }
      this.#queues.set(owner, [queued]);
      // Callbacks of atTurnEnd() run before callbacks of afterTurnEnd(), so units from atTurnEnd() join the group.
      afterTurnEnd(() => void this.#runAll(owner));
    });
  }

  /** Resolves when no unit waits or runs. */
  async waitUntilIdle(): Promise<void> {
    while (this.#queues.size > 0) await this.#whenIdle.promise;
  }

  /** Runs the groups of an owner until no unit waits. */
  async #runAll(owner: string): Promise<void> {
    const queue = this.#queues.get(owner) ?? [];
    while (queue.length > 0) await this.#runGroup(owner, queue.splice(0, MAX_GROUP_SIZE));
    this.#queues.delete(owner);
    if (this.#queues.size > 0) return;
    this.#whenIdle.resolve();
    this.#whenIdle = Promise.withResolvers();
  }

  async #runGroup(owner: string, units: readonly QueuedUnit[]): Promise<void> {
    try {
      const results = await this.#options.run(owner, units);
      for (const [index, { resolve }] of units.entries()) resolve(results[index]);
    } catch (error) {
      if (units.length > 1 && this.#options.canBeCausedByUnit(error)) {
        for (const unit of units) await this.#runGroup(owner, [unit]);
      } else for (const { reject } of units) reject(error);
    }
  }
}
