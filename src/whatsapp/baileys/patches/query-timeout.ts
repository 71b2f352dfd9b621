// Ends queries that WhatsApp does not answer.
// Why: Baileys resolves a query that timed out with undefined. `relayMessage` takes that for "the recipient has no
//   devices" and sends a message that no device can read.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `query` rejects after its timeout.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Stanza } from '../stanza.ts';

/** Error code of a query without an answer: HTTP's 408 Request Timeout, because WhatsApp uses HTTP codes too. */
export const TIMED_OUT = 408;

/** The answer that the gateway generates for a query of requireAnswers() when WhatsApp does not answer. */
const TIMEOUT_ANSWER: Stanza = {
  tag: 'iq',
  attrs: { type: 'error' },
  content: [{ tag: 'error', attrs: { code: String(TIMED_OUT), text: 'the platform did not answer' } }],
};

const strictQueries = new AsyncLocalStorage<true>();

/** Runs `work`. Its queries reject when they time out. Works on sockets that patchQueryTimeout() patched. */
export const requireAnswers = <T>(work: () => T): T => strictQueries.run(true, work);

/** True when `error` is the rejection of a query in requireAnswers() that timed out. */
export function isUnanswered(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'data' in error && error.data === TIMED_OUT;
}

/**
 * Ends each query after `queryTimeout` ms: with an error in requireAnswers(), with undefined elsewhere, as Baileys does.
 * `ws` is the WebSocket client of a socket without `defaultQueryTimeoutMs`. Two timers would not do: after a pause of the
 * process, both have expired, and Node does not promise their order. Baileys waits for the answer to a query with a
 * listener of the event `TAG:<query id>`.
 */
export function patchQueryTimeout(ws: EventEmitter, queryTimeout: number): void {
  const timers = new Map<string | symbol, NodeJS.Timeout>();
  ws.on('newListener', (event: string | symbol) => {
    if (typeof event !== 'string' || !event.startsWith('TAG:')) return;
    const answer = strictQueries.getStore() ? TIMEOUT_ANSWER : undefined;
    clearTimeout(timers.get(event));
    timers.set(
      event,
      setTimeout(() => ws.emit(event, answer), queryTimeout),
    );
  });
  ws.on('removeListener', (event: string | symbol) => {
    clearTimeout(timers.get(event));
    timers.delete(event);
  });
}
