// Payloads about groups, and calls. Pure.
import type { GroupPerson } from '../events.ts';
import type { Data, Of } from './shape.ts';

/** The part before `@` of a phone-number address. */
const numberOf = (jid: string): string | undefined =>
  jid.endsWith('@s.whatsapp.net') ? jid.slice(0, jid.indexOf('@')) : undefined;

const toPerson = ({ jid, lid, admin }: GroupPerson): Record<string, unknown> => ({
  jid,
  phoneNumber: numberOf(jid),
  lid,
  admin,
});

export function toParticipants(event: Of<'group-participants.update'>): Data {
  const { id, author, authorAlt, action, participants } = event;
  return {
    id,
    author,
    authorAlt,
    participants: participants.map(({ jid }) => jid),
    action,
    participantsData: participants.map(toPerson),
  };
}

export function toJoinRequest({ type: _, participant, ...rest }: Of<'group.join-request'>): Data {
  return { ...rest, participant: participant.jid, participantData: toPerson(participant) };
}

export function toCall({ type: _, at, ...call }: Of<'call'>): Data {
  return { ...call, date: new Date(at).toISOString() };
}
