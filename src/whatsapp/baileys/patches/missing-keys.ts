// Skips devices for which WhatsApp has no keys.
// Why: for a device without keys, such as one that was just unlinked, the answer to a query for keys contains an error.
//   Baileys throws this error before it creates any session, so that the message is not sent at all.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `parseAndInjectE2ESessions` skips users with an error.
import type { WASocket } from '../library.ts';
import { childOf, type Stanza } from '../stanza.ts';

/** Removes the devices with an error from an answer about keys, before Baileys reads the answer. */
export function patchMissingKeys({ ws }: Pick<WASocket, 'ws'>): void {
  // Baileys emits `frame` before it passes the same object to the query that the frame answers.
  ws.on('frame', (frame: Stanza | Uint8Array) => {
    if (frame instanceof Uint8Array || frame.tag !== 'iq') return;
    // Only answers about keys have `<user>` elements, one per device, in a `<list>` at this level. Answers about
    // accounts have them in `<usync>`.
    const list = childOf(frame, 'list');
    if (!Array.isArray(list?.content)) return;
    list.content = list.content.filter((child) => child.tag !== 'user' || !childOf(child, 'error'));
  });
}
