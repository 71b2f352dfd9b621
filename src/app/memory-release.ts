// Gives memory back to the operating system when the process uses little CPU time. After a burst of work, V8 keeps
// garbage until it allocates again, and the C library keeps freed memory. After 100 instances were linked, the garbage
// and the freed memory together are half of the resident memory. Decision D-185.
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadCFunctions } from '../lib/c-library.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';

const CHECK_INTERVAL_MS = 5_000;
/** Maximum share of one processor that a quiet process uses. 2,000 idle instances use 0.03. */
const QUIET_CPU_SHARE = 0.15;
/**
 * A release needs at least this growth of the resident memory: MIN_GROWTH_BYTES or the share MIN_GROWTH_SHARE of the
 * lowest resident memory, whichever is larger.
 */
const MIN_GROWTH_BYTES = 16 * 2 ** 20;
const MIN_GROWTH_SHARE = 0.1;
/**
 * The pause after a release is this many times as long as the release, because a release blocks the process. A release
 * of 100 ms is followed by a pause of 30 s.
 */
const PAUSE_FACTOR = 300;

export interface MemoryReleaseDeps {
  clock: Clock;
  /** The resident memory of the process, bytes. */
  rss: () => number;
  /** The CPU time that the process has used so far, ms. */
  cpu: () => number;
  /** Gives free memory back to the operating system. Blocks the process meanwhile. */
  release: () => Promise<void>;
}

export class MemoryRelease {
  readonly #deps: MemoryReleaseDeps;
  readonly #task: PeriodicTask;
  /**
   * The lowest resident memory since the last release, bytes. 0 before the first release, so that all memory which
   * the process has after its start counts as growth.
   */
  #lowest = 0;
  /** CPU time (ms) and time (epoch ms) of the last check. */
  #lastCheck: { cpu: number; at: number };
  /** Epoch ms before which there is no release. */
  #notBefore = 0;

  constructor(deps: MemoryReleaseDeps) {
    this.#deps = deps;
    this.#lastCheck = { cpu: deps.cpu(), at: deps.clock.now() };
    this.#task = new PeriodicTask({
      clock: deps.clock,
      first: CHECK_INTERVAL_MS,
      every: CHECK_INTERVAL_MS,
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
    const hasGrown = rss() - this.#lowest >= Math.max(MIN_GROWTH_BYTES, this.#lowest * MIN_GROWTH_SHARE);
    if (!this.#wasQuiet() || clock.now() < this.#notBefore || !hasGrown) return;
    const startedAt = clock.now();
    await release();
    this.#notBefore = clock.now() + (clock.now() - startedAt) * PAUSE_FACTOR;
    this.#lowest = rss();
  }

  /** Whether the process used little CPU time since the last call. Starts the next measurement. */
  #wasQuiet(): boolean {
    const now = { cpu: this.#deps.cpu(), at: this.#deps.clock.now() };
    const cpuShare = (now.cpu - this.#lastCheck.cpu) / (now.at - this.#lastCheck.at);
    this.#lastCheck = now;
    return cpuShare < QUIET_CPU_SHARE;
  }
}

/**
 * Creates the MemoryRelease of this process. `releaseCaches` frees the caches of the gateway itself. Call start() when
 * the gateway has started.
 */
export function createMemoryRelease(clock: Clock, releaseCaches: () => void): MemoryRelease {
  const collectGarbage = createGarbageCollector();
  let loadedTrim: Promise<() => void> | undefined;
  return new MemoryRelease({
    clock,
    rss: () => process.memoryUsage.rss(),
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    async release() {
      loadedTrim ??= loadTrim();
      const trim = await loadedTrim;
      releaseCaches();
      // Until this call, Node keeps the files that it has read from the compile cache in memory: 10 MiB after a start.
      flushCompileCache();
      collectGarbage();
      trim();
    },
  });
}

/**
 * Values of V8's flag --bytecode-old-age. When a function has not run during this number of garbage collections, V8
 * discards its bytecode, and compiles the function again when it is called. The start of the gateway leaves much
 * bytecode of functions that run only once. `default` is V8's default in Node 26.
 */
const BYTECODE_AGE = { whenReleasing: 1, default: 6 };

/** Returns a function that collects all garbage and gives V8's spare pages back to the operating system. */
function createGarbageCollector(): () => void {
  let gc: unknown;
  return () => {
    if (gc === undefined) {
      setFlagsFromString('--expose-gc');
      gc = runInNewContext('gc');
      setFlagsFromString('--no-expose-gc');
    }
    if (typeof gc !== 'function') return;
    setFlagsFromString(`--bytecode-old-age=${BYTECODE_AGE.whenReleasing}`);
    // The other values of `flavor` keep the pages of the young generation (up to 64 MiB).
    Reflect.apply(gc, undefined, [{ type: 'major', execution: 'sync', flavor: 'last-resort' }]);
    setFlagsFromString(`--bytecode-old-age=${BYTECODE_AGE.default}`);
  };
}

/**
 * Returns a function that makes the C library give freed memory back to the operating system. The function does nothing
 * on systems without malloc_trim() (all but Linux with glibc).
 */
async function loadTrim(): Promise<() => void> {
  const library = await loadCFunctions({ malloc_trim: { arguments: ['u64'], return: 'i32' } });
  return () => void library?.malloc_trim(0n);
}
