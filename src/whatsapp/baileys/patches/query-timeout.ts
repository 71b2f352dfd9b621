// Rejects queries that WhatsApp does not answer.
// Why: Baileys resolves a query that timed out with undefined. `relayMessage` takes that for "the recipient has no
//   devices" and sends a message that no device can read.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `query` rejects after its timeout.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { TIMED_OUT, TIMEOUT_ANSWER } from '../stanza-query.ts';

const strictQueries = new AsyncLocalStorage<true>();

/** Share of the query timeout after which the generated answer comes, so that it comes before Baileys' own timeout. */
const TIMEOUT_SHARE = 0.95;

/** Runs `work`. Its queries reject when they time out. Works on sockets that patchQueryTimeout() patched. */
export const requireAnswers = <T>(work: () => Promise<T>): Promise<T> => strictQueries.run(true, work);

/** True when `error` is the rejection of a query in requireAnswers() that timed out. */
export function isUnanswered(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'data' in error && error.data === TIMED_OUT;
}

/**
 * Answers a query of requireAnswers() with an error shortly before its timeout of `queryTimeout` ms. `ws` is Baileys'
 * WebSocket client. Baileys waits for the answer to a query with a listener of the event `TAG:<query id>`.
 */
export function patchQueryTimeout(ws: EventEmitter, queryTimeout: number): void {
  const timers = new Map<string | symbol, NodeJS.Timeout>();
  ws.on('newListener', (event: string | symbol) => {
    if (!strictQueries.getStore() || typeof event !== 'string' || !event.startsWith('TAG:')) return;
    clearTimeout(timers.get(event));
    timers.set(
      event,
      setTimeout(() => ws.emit(event, TIMEOUT_ANSWER), queryTimeout * TIMEOUT_SHARE),
    );
  });
  ws.on('removeListener', (event: string | symbol) => {
    clearTimeout(timers.get(event));
    timers.delete(event);
  });
}
