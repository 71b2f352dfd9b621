// Lets messages enter Baileys' message mutex in the order in which they arrived.
// Why: before the mutex, Baileys waits for the key store, separately for each message. With a store that answers
//   asynchronously, such as PostgreSQL, a message can overtake an earlier one of its chat: of 1,800 messages that
//   people sent one right after the other, 361 were stored in the wrong place.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `handleMessage` enters the mutex before its first `await`.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { WASocket } from '../library.ts';
import type { Stanza } from '../stanza.ts';
import { takeListener } from '../stanza-listener.ts';

const MESSAGE_EVENT = 'CB:message';

/** A message between its arrival and the mutex. */
interface Arrival {
  /** Resolves when all earlier messages have entered the mutex or do not need it. */
  earlier: Promise<void> | undefined;
  /** Lets the next message enter the mutex. */
  leave: () => void;
}

/** Must be called before patches that replace Baileys' listener of messages or wrap the mutex. */
export function patchArrivalOrder({ ws, messageMutex }: Pick<WASocket, 'ws' | 'messageMutex'>): void {
  const arrivals = new AsyncLocalStorage<Arrival>();
  let lastLeft: Promise<void> | undefined;
  const baileysListener = takeListener(ws, MESSAGE_EVENT);
  ws.on(MESSAGE_EVENT, (stanza: Stanza) => {
    const left = Promise.withResolvers<void>();
    const arrival: Arrival = { earlier: lastLeft, leave: left.resolve };
    lastLeft = left.promise;
    return arrivals.run(arrival, async () => {
      try {
        await baileysListener(stanza);
      } finally {
        // Baileys drops some messages before the mutex, and the processing can fail.
        await arrival.earlier;
        arrival.leave();
      }
    });
  });
  const { mutex } = messageMutex;
  messageMutex.mutex = async <T>(handle: () => Promise<T> | T): Promise<T> => {
    const arrival = arrivals.getStore();
    await arrival?.earlier;
    const handled = mutex(handle);
    arrival?.leave();
    return handled;
  };
}
