// Helpers of the patches that handle one kind of stanza in place of Baileys.
import type { WASocket } from './library.ts';
import type { Stanza } from './stanza.ts';

export interface StanzaHooks {
  /** Resolves when all events emitted so far are stored. Stays pending when they cannot be stored. */
  waitForEvents: () => Promise<void>;
  /** Called when a stanza could not be processed or acknowledged. */
  onFailure: (error: unknown) => void;
}

/** Handles a stanza. Returns undefined when the stanza is handled at once. */
type StanzaListener = (stanza: Stanza) => Promise<void> | undefined;

/** Removes the listener for an event and returns it. Throws TypeError unless it is the only listener. */
export function takeListener(ws: WASocket['ws'], event: string): StanzaListener {
  const [listener, ...others] = ws.listeners(event);
  if (!listener || others.length > 0) throw new TypeError(`expected one listener of ${event}`);
  ws.off(event, listener);
  return (stanza) => {
    const handled: unknown = listener(stanza);
    return handled instanceof Promise ? handled : undefined;
  };
}
