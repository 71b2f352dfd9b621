// Marks the queries that must be answered. When WhatsApp does not answer in time, such a query rejects, and any other
// query resolves with undefined, which Baileys mostly ignores. patches/query-timeout.ts implements both.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Stanza } from './stanza.ts';

/** Error code of a query without an answer: HTTP's 408 Request Timeout, because WhatsApp uses HTTP codes too. */
export const TIMED_OUT = 408;

/** The answer that the gateway generates for a query of requireAnswers() when WhatsApp does not answer. */
const TIMEOUT_ANSWER: Stanza = {
  tag: 'iq',
  attrs: { type: 'error' },
  content: [{ tag: 'error', attrs: { code: String(TIMED_OUT), text: 'the platform did not answer' } }],
};

/** Set while the work of requireAnswers() runs, also in its asynchronous parts. */
const requirement = new AsyncLocalStorage<true>();

/** Runs `work`. Its queries reject when they time out. Works on sockets that patchQueryTimeout() patched. */
export const requireAnswers = <T>(work: () => T): T => requirement.run(true, work);

/**
 * Call it when a query starts. Returns the answer that the query gets if it times out later: an error in
 * requireAnswers(), undefined elsewhere, as in Baileys.
 */
export const answerAfterTimeout = (): Stanza | undefined => (requirement.getStore() ? TIMEOUT_ANSWER : undefined);

/**
 * True when `error` is the rejection of a query in requireAnswers() that timed out. Baileys converts the `code` of an
 * error answer to the number `data`.
 */
export function isUnanswered(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'data' in error && error.data === TIMED_OUT;
}
