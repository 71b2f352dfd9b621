// Separates queries that must be answered from queries whose missing answer Baileys ignores. patches/query-timeout.ts
// ends both kinds of queries when WhatsApp does not answer.
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

const areAnswersRequired = new AsyncLocalStorage<true>();

/** Runs `work`. Its queries reject when they time out. Works on sockets that patchQueryTimeout() patched. */
export const requireAnswers = <T>(work: () => T): T => areAnswersRequired.run(true, work);

/**
 * Returns the answer for a query that starts now and times out: undefined outside of requireAnswers(), as in Baileys.
 */
export const answerAfterTimeout = (): Stanza | undefined =>
  areAnswersRequired.getStore() ? TIMEOUT_ANSWER : undefined;

/** True when `error` is the rejection of a query in requireAnswers() that timed out. */
export function isUnanswered(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'data' in error && error.data === TIMED_OUT;
}
