// Adds, removes, promotes and demotes participants of a group.

import { isPhoneNumberJid, numberSpellingsOf, toJid, userOf } from '../address/jid.ts';
import { resolveRecipients } from '../address/recipient.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, getGroup, queryGroup } from './query.ts';
import { type ParticipantResult, toGroupJid, toParticipantResults } from './record.ts';

export type ParticipantAction = 'add' | 'remove' | 'promote' | 'demote';

const FAILURE: GroupFailure = { text: 'Error updating participants', status: 400 };

/**
 * Changes participants. Returns one result per participant; the status of an added number that is not on WhatsApp is
 * 404. Throws as queryGroup(), and INVALID_REQUEST for an invalid group id or number.
 */
export async function updateParticipants(
  session: Session,
  groupJid: string,
  { action, participants }: { action: ParticipantAction; participants: readonly string[] },
): Promise<ParticipantResult[]> {
  const group = toGroupJid(groupJid);
  const { jids, absent } =
    action === 'add'
      ? await resolveInvitees(session, participants)
      : await resolveMembers(session, group, participants);
  if (jids.length === 0) return absent;
  const nodes = await changeParticipants(session, group, action, jids);
  return sortByRequest(participants, [...(await toParticipantResults(session, nodes)), ...absent]);
}

/**
 * Changes the participants `jids`, which must be in the address form (LID or phone number) that the group uses. Returns
 * one node per participant; its attribute `error` is the code of a failure. Throws as queryGroup().
 */
export async function changeParticipants(
  session: Session,
  group: string,
  action: ParticipantAction,
  jids: readonly string[],
): Promise<Stanza[]> {
  const answer = await queryGroup(session, FAILURE, {
    to: group,
    type: 'set',
    content: { tag: action, attrs: {}, content: toParticipantNodes(jids) },
  });
  const nodes = childrenOf(childOf(answer, action), 'participant');
  session.groups.apply(group, { tag: action, attrs: {}, content: nodes.filter(isSuccess) });
  return nodes;
}

/** True when the change succeeded for the participant of this node. */
export const isSuccess = ({ attrs }: Stanza): boolean => !attrs.error || attrs.error === '200';

/** Sorts results in the order of `numbers`, in which a number can be spelled differently than in its result. */
export function sortByRequest(numbers: readonly string[], results: readonly ParticipantResult[]): ParticipantResult[] {
  const spellings = numbers.map((number) => numberSpellingsOf(userOf(toJid(number))));
  const indexOf = ({ jid }: ParticipantResult) => {
    const found = spellings.findIndex((digits) => digits.includes(userOf(jid)));
    return found < 0 ? spellings.length : found;
  };
  return results.toSorted((one, other) => indexOf(one) - indexOf(other));
}

/** Returns the `<participant>` nodes of a query. */
export const toParticipantNodes = (jids: readonly string[]): Stanza[] =>
  jids.map((jid) => ({ tag: 'participant', attrs: { jid } }));

/**
 * Looks up the JIDs of numbers that are to be added to a group. `absent` contains the results of numbers that are not
 * on WhatsApp.
 */
export async function resolveInvitees(
  session: Session,
  numbers: readonly string[],
): Promise<{ jids: string[]; absent: ParticipantResult[] }> {
  const candidates = await resolveRecipients(session, numbers);
  const present = candidates.filter(({ exists }) => exists);
  const absent = candidates.filter(({ exists }) => !exists);
  return {
    jids: [...new Set(present.map(({ jid }) => jid))],
    absent: absent.map(({ jid, number }) => ({
      status: '404',
      jid,
      content: { tag: 'participant', attrs: { jid, number, error: '404' }, content: [] },
    })),
  };
}

/**
 * Converts numbers to the addresses that the group uses for its members. A number that belongs to no member stays as it
 * is; WhatsApp answers with its result.
 */
async function resolveMembers(
  session: Session,
  group: string,
  numbers: readonly string[],
): Promise<{ jids: string[]; absent: ParticipantResult[] }> {
  const { participants } = await getGroup(session, group, FAILURE);
  const jids = numbers.map((number) => {
    const jid = toJid(number);
    return participants.find((member) => hasAddress(member, jid))?.id ?? jid;
  });
  return { jids: [...new Set(jids)], absent: [] };
}

function hasAddress({ id, phoneNumber, lid }: GroupMetadata['participants'][number], jid: string): boolean {
  const addresses = [id, phoneNumber, lid];
  if (addresses.includes(jid)) return true;
  return (
    isPhoneNumberJid(jid) &&
    numberSpellingsOf(userOf(jid)).some((digits) => addresses.includes(`${digits}@s.whatsapp.net`))
  );
}
