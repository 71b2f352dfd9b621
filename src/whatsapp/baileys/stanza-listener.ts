// Shared by the patches that handle one kind of stanza (an XML element of WhatsApp's protocol) in place of Baileys.
import type { WASocket } from './library.ts';
import type { Stanza } from './stanza.ts';

/** The callbacks of a patch that acknowledges a stanza after the events of the stanza are stored. */
export interface StanzaHooks {
  /**
   * Resolves when all events that the socket has emitted so far are stored. Stays pending when they cannot be stored.
   */
  waitForEvents: () => Promise<void>;
  /** Called when the patch could not process or acknowledge a stanza. */
  onFailure: (error: unknown) => void;
}

/** Handles a stanza. Returns undefined when the stanza is handled at once. */
type StanzaListener = (stanza: Stanza) => Promise<void> | undefined;

/**
 * Removes the only listener of `event`, for example `CB:message`, and returns it. Throws TypeError when the event has
 * no listener or several.
 */
export function takeListener(ws: WASocket['ws'], event: string): StanzaListener {
  const [listener, ...others] = ws.listeners(event);
  if (!listener || others.length > 0) throw new TypeError(`expected one listener of ${event}`);
  ws.off(event, listener);
  return (stanza) => {
    const handled: unknown = listener(stanza);
    return handled instanceof Promise ? handled : undefined;
  };
}
