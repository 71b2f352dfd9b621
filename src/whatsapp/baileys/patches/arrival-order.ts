// Handles messages in the order in which they arrived.
// Why: Baileys waits for the key store, separately for each message, before the message enters `messageMutex`. With a
//   store that answers asynchronously, such as PostgreSQL, a message can overtake an earlier one of its chat: of 1,800
//   messages that people sent one right after the other, 361 were stored in the wrong place.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `handleMessage` of Baileys enters `messageMutex` before its first `await`, and the patch
//   direct-messages.ts keeps the order of arrival without this patch.

import { handleOneByOne } from '../../../lib/one-by-one.ts';
import type { WASocket } from '../library.ts';
import { takeListener } from '../stanza-listener.ts';

const MESSAGE_EVENT = 'CB:message';

/**
 * Replaces Baileys' listener of messages: each message now waits until the previous message is handled. A message that
 * arrived while the device was offline counts as handled when Baileys has queued it.
 */
export function patchArrivalOrder({ ws }: Pick<WASocket, 'ws'>): void {
  ws.on(MESSAGE_EVENT, handleOneByOne(takeListener(ws, MESSAGE_EVENT)));
}
