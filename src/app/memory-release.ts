// Gives memory back to the operating system when the process has become quiet. After a burst of work, V8 keeps garbage
// until it allocates again, and the C library keeps what was freed: after linking 100 instances, half of the resident
// memory. Decision D-185.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';

/** ms between two checks. */
const INTERVAL = 5_000;
/** Maximum share of one processor that a quiet process uses. 2,000 idle instances use 0.03. */
const QUIET_SHARE = 0.15;
/** Growth of the resident memory since the last release that is worth a release: bytes, and share of the memory. */
const MIN_GROWTH = 16 * 2 ** 20;
const MIN_GROWTH_SHARE = 0.1;
/** A release that took 100 ms, during which the process does nothing else, is followed by none for this times as long. */
const PAUSE_FACTOR = 300;

export interface MemoryReleaseDeps {
  clock: Clock;
  /** The resident memory of the process, bytes. */
  rss: () => number;
  /** The CPU time that the process has used so far, ms. */
  cpu: () => number;
  /** Returns free memory. Blocks the process meanwhile. */
  release: () => Promise<void>;
}

export class MemoryRelease {
  readonly #deps: MemoryReleaseDeps;
  readonly #task: PeriodicTask;
  /** The lowest resident memory since the last release, bytes. */
  #lowest = 0;
  /** CPU time and time at the last check, ms. */
  #last: { cpu: number; at: number };
  /** Epoch ms before which there is no release. */
  #notBefore = 0;

  constructor(deps: MemoryReleaseDeps) {
    this.#deps = deps;
    this.#last = { cpu: deps.cpu(), at: deps.clock.now() };
    this.#task = new PeriodicTask({
      clock: deps.clock,
      first: INTERVAL,
      every: INTERVAL,
      work: () => this.#check(),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #check(): Promise<void> {
    const { clock, rss, release } = this.#deps;
    this.#lowest = Math.min(this.#lowest, rss());
    const isWorthIt = rss() - this.#lowest >= Math.max(MIN_GROWTH, this.#lowest * MIN_GROWTH_SHARE);
    if (!this.#wasQuiet() || clock.now() < this.#notBefore || !isWorthIt) return;
    const startedAt = clock.now();
    await release();
    this.#notBefore = clock.now() + (clock.now() - startedAt) * PAUSE_FACTOR;
    this.#lowest = rss();
  }

  /** Whether the process used little CPU time since the last check. */
  #wasQuiet(): boolean {
    const now = { cpu: this.#deps.cpu(), at: this.#deps.clock.now() };
    const share = (now.cpu - this.#last.cpu) / (now.at - this.#last.at);
    this.#last = now;
    return share < QUIET_SHARE;
  }
}

/** Creates the release of memory for this process. Call start() when the gateway has started. */
export function createMemoryRelease(clock: Clock): MemoryRelease {
  const collect = createCollector();
  let trim: Promise<() => void> | undefined;
  return new MemoryRelease({
    clock,
    rss: () => process.memoryUsage.rss(),
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    async release() {
      trim ??= loadTrim();
      const returnFreed = await trim;
      collect();
      returnFreed();
    },
  });
}

/** Returns a function that collects all garbage and returns the pages that V8 keeps for later. */
function createCollector(): () => void {
  let collect: unknown;
  return () => {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc');
      setFlagsFromString('--no-expose-gc');
    }
    // The other flavors keep the pages of the young generation (up to 64 MiB).
    if (typeof collect === 'function')
      Reflect.apply(collect, undefined, [{ type: 'major', execution: 'sync', flavor: 'last-resort' }]);
  };
}

/**
 * Returns a function that makes the C library return freed memory. It does nothing with a Node that has no node:ffi
 * (older than 26), and on systems without malloc_trim() (all but Linux with glibc).
 */
async function loadTrim(): Promise<() => void> {
  const restoreWarnings = holdExperimentalWarnings();
  try {
    const { dlopen } = await import('node:ffi');
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    return () => void functions.malloc_trim(0n);
  } catch {
    return () => undefined;
  } finally {
    setImmediate(restoreWarnings);
  }
}

/** Hides warnings about experimental parts of Node until the returned function is called. */
function holdExperimentalWarnings(): () => void {
  const listeners = process.listeners('warning');
  const forward = (warning: Error) => {
    if (warning.name !== 'ExperimentalWarning') for (const listener of listeners) listener(warning);
  };
  process.removeAllListeners('warning');
  process.on('warning', forward);
  return () => {
    process.off('warning', forward);
    for (const listener of listeners) process.on('warning', listener);
  };
}
