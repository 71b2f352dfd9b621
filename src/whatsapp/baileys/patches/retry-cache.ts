// Keeps received messages out of Baileys' cache of sent messages.
// Why: Baileys adds every decrypted message to the cache from which it answers retry requests (requests to send a
//   message again). When a group member sends a retry request for a message that the same member wrote, this account
//   sends the message again as its own message.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `handleMessage` does not call `addRecentMessage`.

import type { WASocket } from '../library.ts';
import type { MessageTurns } from './message-turns.ts';

/**
 * Leaves the message that the socket is processing out of the cache. A turn is the processing of one message, and
 * `turns.current` describes the message in progress. `turns` must belong to the message mutex of the same socket. The
 * socket has the cache only if an option turns it on.
 */
export function patchRetryCache(
  { messageRetryManager: cache }: Pick<WASocket, 'messageRetryManager'>,
  turns: Pick<MessageTurns, 'current'>,
): void {
  if (!cache) return;
  const { addRecentMessage } = cache;
  cache.addRecentMessage = (chat, id, message) => {
    // Other messages that are added during a turn were sent by this account meanwhile.
    if (turns.current?.stanza?.id !== id) addRecentMessage.call(cache, chat, id, message);
  };
}
