// presence.update: who is online or typing in a chat. Pure.

import type { DomainEvent } from '../../events/events.ts';
import { wholeOf } from '../../lib/whole-number.ts';
import { type Names, named } from '../address/message-key.ts';
import type { SocketEvents } from '../baileys/types.ts';

type PresenceEvent = Extract<DomainEvent, { type: 'presence.update' }>;

export function fromPresence({ id, presences }: SocketEvents['presence.update'], names: Names): PresenceEvent {
  const seen: PresenceEvent['presences'] = {};
  for (const [person, { lastKnownPresence, lastSeen: seconds }] of Object.entries(presences)) {
    const { jid, alt } = named(person, names);
    const lastSeen = wholeOf(seconds);
    seen[jid] = { lastKnownPresence, ...(lastSeen ? { lastSeen } : {}), ...(alt ? { lid: alt } : {}) };
  }
  const chat = named(id, names);
  return { type: 'presence.update', id: chat.jid, ...(chat.alt ? { lid: chat.alt } : {}), presences: seen };
}
