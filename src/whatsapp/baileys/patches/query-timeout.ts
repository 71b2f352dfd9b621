// Ends queries that WhatsApp does not answer.
// Why: Baileys resolves a timed-out query with undefined. `relayMessage` takes undefined for "the recipient has no
//   devices" and sends a message that no device can read.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `query` rejects after its timeout.
import type { EventEmitter } from 'node:events';
import { answerAfterTimeout } from '../required-answers.ts';

/**
 * Ends each query after `queryTimeout` ms. A query that starts in requireAnswers() then rejects. All other queries
 * resolve with undefined, as in Baileys. `ws` is the WebSocket client of a socket whose own query timeout is turned off
 * (`defaultQueryTimeoutMs`). Otherwise, both timers could expire during a pause of the process, and Node does not
 * promise their order. Baileys waits for the answer to a query with a listener of the event `TAG:<query id>`.
 */
export function patchQueryTimeout(ws: EventEmitter, queryTimeout: number): void {
  const timers = new Map<string | symbol, NodeJS.Timeout>();
  ws.on('newListener', (event: string | symbol) => {
    if (typeof event !== 'string' || !event.startsWith('TAG:')) return;
    // The query starts now. Whether it starts in requireAnswers() determines its answer after a timeout.
    const answer = answerAfterTimeout();
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
