// Stars that another device put on a message or took off it. Pure.

import type { DomainEvent } from '../../events/events.ts';
import { type KnownJids, toKey } from '../address/message-key.ts';
import type { WireMessageUpdate } from '../baileys/types.ts';

/** `messages.update` of Baileys; undefined when it is about something else. `now` is epoch ms. */
export function fromStar(
  { key, update: { starred } }: WireMessageUpdate,
  knownJids: KnownJids,
  now: number,
): DomainEvent | undefined {
  const named = typeof starred === 'boolean' ? toKey(key, knownJids) : undefined;
  return named && { type: 'messages.update', key: named, starred: starred === true, at: now };
}
