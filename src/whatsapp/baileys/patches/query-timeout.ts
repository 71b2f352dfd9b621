// A platform that has gone silent: a send ends with the first question that stays unanswered, and closing does not wait.
// rc14 resolves a query that timed out with undefined, and relayMessage then takes "the platform did not say" for "has no devices":
// it writes a message that nobody gets.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { CONNECTION_CLOSED } from '../connection-update.ts';

const demanding = new AsyncLocalStorage<true>();

/** Code of the answer that is made up for an unanswered query; what the platform itself would answer in its place (HTTP's 408). */
const TIMED_OUT = 408;

/** Runs `work`: an unanswered query that it makes of a socket under failUnanswered() rejects. */
export const requireAnswers = <T>(work: () => Promise<T>): Promise<T> => demanding.run(true, work);

/** Whether a query of demandAnswers() rejected with `error` because there was no answer. */
export function isUnanswered(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'data' in error && error.data === TIMED_OUT;
}

/**
 * Answers queries of demandAnswers() with an error in the platform's place, shortly before `queryTimeout` ms. `ws` is Baileys' client,
 * on which it waits for the answer to a query under the event `TAG:<id of the query>`.
 */
export function patchQueryTimeout(ws: EventEmitter, queryTimeout: number): void {
  const timers = new Map<string | symbol, NodeJS.Timeout>();
  ws.on('newListener', (event: string | symbol) => {
    if (!demanding.getStore() || typeof event !== 'string' || !event.startsWith('TAG:')) return;
    clearTimeout(timers.get(event));
    timers.set(
      event,
      setTimeout(() => ws.emit(event, silence), queryTimeout * 0.95),
    );
  });
  ws.on('removeListener', (event: string | symbol) => {
    clearTimeout(timers.get(event));
    timers.delete(event);
  });
}

const silence = {
  tag: 'iq',
  attrs: { type: 'error' },
  content: [{ tag: 'error', attrs: { code: String(TIMED_OUT), text: 'the platform did not answer' } }],
};

/** Whoever closes `ws`: a peer that is gone does not answer the closing handshake, and the library below would wait 30 s; here `ms`. */
export function patchCloseTimeout(ws: WASocket['ws'], ms: number): void {
  const close = ws.close.bind(ws);
  ws.close = () => {
    const raw: unknown = Reflect.get(ws, 'socket');
    const timer = setTimeout(() => {
      if (typeof raw === 'object' && raw && 'terminate' in raw && typeof raw.terminate === 'function') raw.terminate();
    }, ms);
    return close().finally(() => clearTimeout(timer));
  };
}

/** Queries in flight hang until their timeout after rc14's end(), and keep the whole socket alive: an error on the client ends them. */
export function endQueries(ws: EventEmitter): void {
  ws.emit('error', Object.assign(new Error('Connection Closed'), { output: { statusCode: CONNECTION_CLOSED } }));
}

/** Tells `refused` why when the platform refuses the upgrade. ws leaves that to listeners of this event; Baileys listens and never closes. */
export function onRefusal(ws: EventEmitter, refused: (reason: string) => void): void {
  ws.on('unexpected-response', (_request: unknown, { statusCode }: { statusCode?: number }) =>
    refused(`the platform refused the connection with HTTP ${statusCode}`),
  );
}
