// Maps stars that another device added or removed. No I/O.

import type { DomainEvent } from '../../events/events.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import type { WireMessageUpdate } from '../baileys/types.ts';

/** Maps a `messages.update` of Baileys; undefined for other updates. `now` is epoch ms. */
export function fromStar(
  { key, update: { starred } }: WireMessageUpdate,
  knownJids: KnownJids,
  now: number,
): DomainEvent | undefined {
  const named = typeof starred === 'boolean' ? toMessageKey(key, knownJids) : undefined;
  return named && { type: 'messages.update', key: named, starred: starred === true, at: now };
}
