// presence.update: who is online or typing in a chat. Pure.
import type { BaileysEventMap } from '@whiskeysockets/baileys';
import type { DomainEvent } from '../../events.ts';
import { type Names, named } from './key.ts';

type PresenceEvent = Extract<DomainEvent, { type: 'presence.update' }>;

export function fromPresence({ id, presences }: BaileysEventMap['presence.update'], names: Names): PresenceEvent {
  const seen: PresenceEvent['presences'] = {};
  for (const [jid, { lastKnownPresence, lastSeen }] of Object.entries(presences)) {
    seen[named(jid, names).jid] = { lastKnownPresence, ...(lastSeen ? { lastSeen } : {}) };
  }
  return { type: 'presence.update', id: named(id, names).jid, presences: seen };
}
