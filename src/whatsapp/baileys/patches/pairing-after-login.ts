// A linked device is not linked again on the connection that it logged in on.
// Why: rc14 takes `pair-success` and `pair-device` at any time. On a linked session both end the connection, as an ordinary loss, so that each
//   one makes the wait for the next connection longer; a valid `pair-success` would replace the account of the session.
// Upstream: not reported.
// Applies to: 7.0.0-rc14.
// Remove when: `makeSocket` listens for these stanzas only until `CB:success`.
import type { WASocket } from '@whiskeysockets/baileys';

const PAIRING_EVENTS = ['CB:iq,type:set,pair-device', 'CB:iq,,pair-success'];

/** Ignores stanzas of pairing from the login on. */
export function patchPairingAfterLogin({ ws }: Pick<WASocket, 'ws'>): void {
  ws.once('CB:success', () => {
    for (const event of PAIRING_EVENTS) ws.removeAllListeners(event);
  });
}
