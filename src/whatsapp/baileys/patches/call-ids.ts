// Drops calls without an id.
// Why: a listener of Baileys throws for the offer of a group call without a `call-id`, and the error ends the session.
//   The caller's device sets the `call-id`, so any caller could end the session.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `handleCall` skips calls without an id.

import { type BinaryNode, buildAckStanza, type WASocket } from '../library.ts';
import { allChildrenOf } from '../stanza.ts';
import { takeListener } from '../stanza-listener.ts';

const CALL_EVENT = 'CB:call';

/** Acknowledges calls without an id, and passes only the other calls to Baileys' listener. */
export function patchCallIds({ authState, sendNode, ws }: Pick<WASocket, 'authState' | 'sendNode' | 'ws'>): void {
  const baileysListener = takeListener(ws, CALL_EVENT);
  ws.on(CALL_EVENT, (stanza: BinaryNode) => {
    const [call] = allChildrenOf(stanza);
    if (!call || call.attrs['call-id']) return baileysListener(stanza);
    return sendNode(buildAckStanza(stanza, undefined, authState.creds.me?.id));
  });
}
