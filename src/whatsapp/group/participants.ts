// Adds, removes, promotes and demotes participants of a group.

import { isLid, isPhoneNumberJid, toJid, userOf } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { numberSpellingsOf } from '../address/mobile-digit.ts';
import { resolveRecipients } from '../address/recipient.ts';
import { resolveUsernames } from '../address/username-lookup.ts';
import { isPrivacyTokenExpired } from '../baileys/queries.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import { withOpenKeys } from '../query.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, getGroup, queryGroup } from './query.ts';
import { type ParticipantResult, toGroupJid, toParticipantResults } from './record.ts';

export type ParticipantAction = 'add' | 'remove' | 'promote' | 'demote';

/** The text and the HTTP status of the error when WhatsApp refuses the change. */
const FAILURE: GroupFailure = { text: 'Error updating participants', status: 400 };

/**
 * Changes participants. Returns one result per participant. For the action `add`, a number or user name that is not on
 * WhatsApp has the result 404. Throws the errors of queryGroup(), USERNAME_NOT_FOUND, and INVALID_REQUEST for an
 * invalid group id or number.
 */
export async function updateParticipants(
  session: Session,
  groupJid: string,
  { action, participants }: { action: ParticipantAction; participants: readonly string[] },
): Promise<ParticipantResult[]> {
  const group = toGroupJid(groupJid);
  const { requestedJids, jids, absent, alternates } =
    action === 'add'
      ? await resolveInvitees(session, participants)
      : await resolveMembers(session, group, participants);
  if (jids.length === 0) return absent;
  const nodes = await changeParticipants(session, group, action, jids);
  return sortByInputOrder(requestedJids, [...(await toParticipantResults(session, nodes, alternates)), ...absent]);
}

/**
 * Changes the participants `jids`, which must be in the address form that the group uses: phone number, or LID (id that
 * hides the number). Returns one node per participant. Its attribute `error` is the code of a failure. Throws the
 * errors of queryGroup().
 */
export async function changeParticipants(
  session: Session,
  group: string,
  action: ParticipantAction,
  jids: readonly string[],
): Promise<Stanza[]> {
  const content = action === 'add' ? await toInviteeNodes(session, jids) : toParticipantNodes(jids);
  const answer = await queryGroup(session, FAILURE, {
    to: group,
    type: 'set',
    content: { tag: action, attrs: {}, content },
  });
  const nodes = childrenOf(childOf(answer, action), 'participant');
  // Updates the cached metadata of the group.
  session.groups.apply(group, { tag: action, attrs: {}, content: nodes.filter(isSuccess) });
  return nodes;
}

/** True when the change succeeded for the participant of this node. */
export const isSuccess = ({ attrs }: Stanza): boolean => !attrs.error || attrs.error === '200';

/**
 * Sorts results in the order of `jids`. A person can have one address, or one spelling of the phone number, in `jids`
 * and another in the result.
 */
export function sortByInputOrder(jids: readonly string[], results: readonly ParticipantResult[]): ParticipantResult[] {
  const spellings = jids.map(spellingsOf);
  const indexOf = (result: ParticipantResult) => {
    const addresses = addressesOf(result);
    const found = spellings.findIndex((personJids) => personJids.some((jid) => addresses.includes(jid)));
    return found < 0 ? spellings.length : found;
  };
  return results.toSorted((one, other) => indexOf(one) - indexOf(other));
}

/** Returns all addresses that a result contains for its person. */
export function addressesOf({ jid, content: { attrs } }: ParticipantResult): string[] {
  return [jid, attrs.jid, attrs.phone_number, attrs.lid].flatMap((address) => (address ? [address] : []));
}

/**
 * Returns the JIDs of all spellings of a phone number: some numbers can have or lack a mobile digit (mobile-digit.ts).
 * Returns `[jid]` for other JIDs.
 */
const spellingsOf = (jid: string): string[] =>
  isPhoneNumberJid(jid) ? numberSpellingsOf(userOf(jid)).map((digits) => `${digits}@s.whatsapp.net`) : [jid];

/** Returns the `<participant>` nodes of a query. */
export const toParticipantNodes = (jids: readonly string[]): Stanza[] =>
  jids.map((jid) => ({ tag: 'participant', attrs: { jid } }));

/**
 * Returns the `<participant>` nodes of people who are to be added to a group. A node also contains the privacy token
 * that the person has given to this account, if the token is stored and valid. A node with a LID also contains the
 * phone number, if known. Decision D-172.
 */
export async function toInviteeNodes(session: Session, jids: readonly string[]): Promise<Stanza[]> {
  const { keys } = session.socket.authState;
  const lidPairs = await lookupSessionLidPairs(session, jids);
  const lidOf = (jid: string) => (isLid(jid) ? jid : lidPairs.get(jid));
  const lids = jids.flatMap((jid) => lidOf(jid) ?? []);
  // `tctoken` is the key type of privacy tokens.
  const tokens = await withOpenKeys(session, keys.get('tctoken', lids));
  return jids.map((jid) => {
    const numberJid = isLid(jid) ? lidPairs.get(jid) : undefined;
    const { token, timestamp } = tokens[lidOf(jid) ?? ''] ?? {};
    const isUsable = token && token.length > 0 && !isPrivacyTokenExpired(timestamp);
    return {
      tag: 'participant',
      attrs: { jid, ...(numberJid ? { phone_number: numberJid } : {}) },
      ...(isUsable ? { content: [{ tag: 'privacy', attrs: {}, content: token }] } : {}),
    };
  });
}

interface ResolvedParticipants {
  /** One JID per number of the request, in the order of the request. */
  requestedJids: string[];
  /** JIDs for the query to WhatsApp, without duplicates and without numbers that are not on WhatsApp. */
  jids: string[];
  /** Results of numbers that are not on WhatsApp. */
  absent: ParticipantResult[];
  /** For members of the group, the other address (phone number or LID) by JID. */
  alternates?: ReadonlyMap<string, string | undefined>;
}

/** The name of the participant at `index` in error texts. */
export const participantField = (index: number): string => `participants[${index}]`;

/** Looks up the JIDs of numbers that are to be added to a group. */
export async function resolveInvitees(session: Session, numbers: readonly string[]): Promise<ResolvedParticipants> {
  const candidates = await resolveRecipients(session, numbers, { field: participantField });
  const present = candidates.filter(({ exists }) => exists);
  const absent = candidates.filter(({ exists }) => !exists);
  return {
    requestedJids: candidates.map(({ jid }) => jid),
    jids: [...new Set(present.map(({ jid }) => jid))],
    absent: absent.map(({ jid, number }) => ({
      status: '404',
      jid,
      content: { tag: 'participant', attrs: { jid, number, error: '404' }, content: [] },
    })),
  };
}

/**
 * Converts numbers to the addresses that the group uses for its members. WhatsApp can leave out the number of a member,
 * so the stored LIDs are searched too. A number that belongs to no member stays in the result, because WhatsApp answers
 * with a result for it too.
 */
async function resolveMembers(
  session: Session,
  group: string,
  numbers: readonly string[],
): Promise<ResolvedParticipants> {
  const { participants, addressingMode } = await getGroup(session, group, FAILURE);
  const resolved = await resolveUsernames(session, numbers, participantField);
  const inputJids = resolved.map((number, index) => toJid(number, participantField(index)));
  const findMember = (jid: string) => participants.find((member) => hasAddress(member, jid))?.id;
  const unmatched = inputJids.filter((jid) => findMember(jid) === undefined);
  const lidPairs = await lookupSessionLidPairs(session, unmatched.flatMap(spellingsOf));
  const jids = inputJids.map((jid) => {
    const otherJids = spellingsOf(jid).flatMap((spelling) => lidPairs.get(spelling) ?? []);
    const member = [jid, ...otherJids].map(findMember).find((id) => id !== undefined);
    // For a person who is not a member, prefers the address in the form (phone number or LID) that the group uses.
    const hasGroupForm = isLid(jid) === (addressingMode === 'lid');
    return member ?? (hasGroupForm ? jid : (otherJids[0] ?? jid));
  });
  const alternates = new Map(participants.map(({ id, phoneNumber, lid }) => [id, phoneNumber ?? lid]));
  return { requestedJids: jids, jids: [...new Set(jids)], absent: [], alternates };
}

const hasAddress = ({ id, phoneNumber, lid }: GroupMetadata['participants'][number], jid: string): boolean =>
  spellingsOf(jid).some((spelling) => [id, phoneNumber, lid].includes(spelling));
