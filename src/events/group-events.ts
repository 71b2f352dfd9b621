// Descriptors of the events about groups: new groups, changed settings, changed participants, and requests to join. A
// descriptor (event-descriptor.ts) says how events of one type are posted, ordered and stored. Events with the same
// `lane` are delivered in order. Webhooks can filter events by `chatAddresses`. Decision D-058.
import { addressesIn, type EventDescriptors } from './event-descriptor.ts';
import type { AffectedPerson } from './group-types.ts';

type GroupEventType = 'groups.upsert' | 'groups.update' | 'group-participants.update' | 'group.join-request';

/** `data` is an object or a list of objects. Each object has the JID of the group in the member `id`. */
const chatAddresses = addressesIn('id');

export const GROUP_EVENTS = {
  'groups.upsert': {
    toData: ({ group }) => [{ ...group }],
    lane: ({ group }) => group.id,
    chatAddresses,
  },
  'groups.update': {
    toData: ({ group }) => [{ ...group }],
    lane: ({ group }) => group.id,
    chatAddresses,
  },
  'group-participants.update': {
    toData: ({ id, author, authorAlt, action, participants }) => ({
      id,
      author,
      authorAlt,
      participants: participants.map(({ jid }) => jid),
      action,
      participantsData: participants.map(toPersonData),
    }),
    lane: ({ id }) => id,
    chatAddresses,
  },
  'group.join-request': {
    toData({ type: _, participant, ...request }) {
      return { ...request, participant: participant.jid, participantData: toPersonData(participant) };
    },
    lane: ({ id }) => id,
    chatAddresses,
  },
} satisfies EventDescriptors<GroupEventType>;

function toPersonData({ jid, lid, username, admin }: AffectedPerson): Record<string, unknown> {
  return { jid, phoneNumber: toPhoneNumber(jid), lid, username, admin };
}

/** Returns the digits of a phone-number JID; undefined for a LID (an address that hides the number). */
function toPhoneNumber(jid: string): string | undefined {
  return jid.endsWith('@s.whatsapp.net') ? jid.slice(0, jid.indexOf('@')) : undefined;
}
