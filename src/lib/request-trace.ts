// Which request work is done for, without handing its name through everything between.
import { AsyncLocalStorage } from 'node:async_hooks';

const traces = new AsyncLocalStorage<string>();

/** Runs `work` and all that it starts under this name. */
export const runWithTrace = <T>(name: string, work: () => T): T => traces.run(name, work);

/**
 * Runs `work` and all that it starts outside of every request: for what outlives the request that caused it. Connections, timers and listeners
 * belong for all their life to whoever made them.
 */
export const runWithoutTrace: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

/** The name under which this runs, if it has one. */
export const currentTrace = (): string | undefined => traces.getStore();
