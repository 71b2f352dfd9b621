// Maps stars to domain events: another device of the account stars or unstars a message. No I/O.

import type { DomainEvent } from '../../events/events.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import type { WireMessageUpdate } from '../baileys/types.ts';

/** Maps a `messages.update` of Baileys that changes a star. Returns undefined for other updates. `now` is epoch ms. */
export function fromStar(
  { key, update: { starred } }: WireMessageUpdate,
  knownJids: KnownJids,
  now: number,
): DomainEvent | undefined {
  const messageKey = typeof starred === 'boolean' ? toMessageKey(key, knownJids) : undefined;
  return messageKey && { type: 'messages.update', key: messageKey, starred: starred === true, at: now };
}
