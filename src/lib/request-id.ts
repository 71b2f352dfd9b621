// The id of the request that the current work belongs to, kept in the asynchronous context.
import { AsyncLocalStorage } from 'node:async_hooks';

const requestIds = new AsyncLocalStorage<string>();

/** Runs `work`, and everything that it starts, with this request id. */
export const runWithRequestId = <T>(requestId: string, work: () => T): T => requestIds.run(requestId, work);

/**
 * Runs `work`, and everything that it starts, without a request id. Use it for connections, timers and listeners that
 * outlive the request that created them. The snapshot is taken when this module loads, which is outside of any request.
 */
export const runWithoutRequestId: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

/** The request id of the current work, if any. */
export const currentRequestId = (): string | undefined => requestIds.getStore();
