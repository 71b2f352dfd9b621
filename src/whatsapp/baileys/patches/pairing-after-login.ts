// Ignores pairing stanzas on the connection of a linked device.
// Why: Baileys handles `pair-device` and `pair-success` at any time. On a linked session both close the connection. The
//   gateway takes this for a network loss, and increases the delay before the next reconnect each time. A valid
//   `pair-success` would replace the account of the session.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `makeSocket` listens for these stanzas only until `CB:success`.
import type { WASocket } from '../library.ts';

const PAIRING_EVENTS = ['CB:iq,type:set,pair-device', 'CB:iq,,pair-success'];

/** Removes the listeners of pairing stanzas after the login. */
export function patchPairingAfterLogin({ ws }: Pick<WASocket, 'ws'>): void {
  ws.once('CB:success', () => {
    for (const event of PAIRING_EVENTS) ws.removeAllListeners(event);
  });
}
