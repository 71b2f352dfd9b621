// Maps presence.update: who is online or typing in a chat. No I/O.

import type { DomainEvent } from '../../events/events.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import type { SocketEvents } from '../baileys/types.ts';

type PresenceEvent = Extract<DomainEvent, { type: 'presence.update' }>;

/** Maps a `presence.update` of Baileys. Returns undefined when it has no chat. */
export function fromPresence(
  { id, presences }: SocketEvents['presence.update'],
  knownJids: KnownJids,
): PresenceEvent | undefined {
  if (!id) return undefined;
  const mapped: PresenceEvent['presences'] = {};
  for (const [person, { lastKnownPresence, lastSeen: seconds }] of Object.entries(presences)) {
    // `alt` is the LID (an id that hides the phone number), when both addresses are known.
    const { jid, alt } = toJidAndAlt(person, knownJids);
    const lastSeen = toEpochSeconds(seconds);
    mapped[jid] = { lastKnownPresence, ...(lastSeen ? { lastSeen } : {}), ...(alt ? { lid: alt } : {}) };
  }
  const chat = toJidAndAlt(id, knownJids);
  return { type: 'presence.update', id: chat.jid, ...(chat.alt ? { lid: chat.alt } : {}), presences: mapped };
}
