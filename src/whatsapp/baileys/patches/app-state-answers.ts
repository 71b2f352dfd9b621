// Lets the caller of an app-state change read WhatsApp's answers to the queries of that change. The app state is the
// data about chats and contacts that all devices of an account share. Its parts are collections.
// Why: Baileys treats an unanswered query and a conflict with another device (409) as success. Baileys then stores a
//   version of the collection that WhatsApp does not have, and all later changes of that collection fail.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `appPatch` and `chatModify` reject when WhatsApp refuses or does not answer.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Stanza } from '../stanza.ts';

/** The array that receives the answers during a call of collectAnswers(). */
const collector = new AsyncLocalStorage<Stanza[]>();

/**
 * Runs `work` and appends the answers to its queries to `answers`. Has an effect only on sockets that
 * patchAppStateAnswers() has patched.
 */
export const collectAnswers = <T>(answers: Stanza[], work: () => Promise<T>): Promise<T> =>
  collector.run(answers, work);

/**
 * Makes collectAnswers() work on a socket. `ws` is Baileys' WebSocket client. Baileys waits for the answer to a query
 * with a listener of the event `TAG:<query id>`.
 */
export function patchAppStateAnswers(ws: EventEmitter): void {
  ws.on('newListener', (event: string | symbol) => {
    const answers = collector.getStore();
    if (!answers || typeof event !== 'string' || !event.startsWith('TAG:')) return;
    // This handler also runs for the listener that it adds. Outside of the context, it ignores that listener.
    collector.exit(() =>
      ws.once(event, (answer: Stanza | undefined) => {
        if (answer) answers.push(answer);
      }),
    );
  });
}
