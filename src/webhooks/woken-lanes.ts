// During a turn of the event loop, collects the lanes (queues of webhooks) that are checked at its end. So each lane
// reads the store once, however many transactions were committed in the turn.
import type { QueuedLanes } from '../events/event-batch.ts';
import { atTurnEnd } from '../lib/event-loop-turn.ts';

export interface Woken {
  /** Ids of instances of which all lanes are checked. */
  instances: string[];
  /** Further lanes to check: the numbers of the lanes, by webhook id. */
  lanes: [webhookId: string, numbers: ReadonlySet<number>][];
}

export class WokenLanes {
  readonly #onTurnEnd: () => void;
  readonly #instances = new Set<string>();
  readonly #lanes = new Map<string, Set<number>>();

  /** `onTurnEnd` is called at the end of each turn in which lanes were added. It must call `take`. */
  constructor(onTurnEnd: () => void) {
    this.#onTurnEnd = onTurnEnd;
  }

  addInstance(id: string): void {
    this.#schedule();
    this.#instances.add(id);
  }

  addLanes(queued: QueuedLanes): void {
    if (queued.size > 0) this.#schedule();
    for (const [webhookId, numbers] of queued) {
      const lanes = this.#lanes.get(webhookId) ?? new Set();
      for (const number of numbers) lanes.add(number);
      this.#lanes.set(webhookId, lanes);
    }
  }

  /** Returns what was added since the last call. */
  take(): Woken {
    const woken = { instances: [...this.#instances], lanes: [...this.#lanes] };
    this.#instances.clear();
    this.#lanes.clear();
    return woken;
  }

  /** Call this before an addition: the first addition after take() schedules the call of `onTurnEnd`. */
  #schedule(): void {
    if (this.#instances.size === 0 && this.#lanes.size === 0) atTurnEnd(this.#onTurnEnd);
  }
}
