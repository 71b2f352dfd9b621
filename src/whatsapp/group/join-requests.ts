// Lists, approves and rejects the requests of people who want to join a group. Decision D-098.

import { GatewayError } from '../../errors.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isPhoneNumberJid, toJid, userOf } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { toJidAndAlt } from '../address/message-key.ts';
import { numberSpellingsOf } from '../address/mobile-digit.ts';
import { resolveUsernames } from '../address/username-lookup.ts';
import { childOf, childrenOf } from '../baileys/stanza.ts';
import type { Session } from '../session.ts';
import { participantField, sortByInputOrder, toParticipantNodes } from './participants.ts';
import { type GroupFailure, queryGroup } from './query.ts';
import { type ParticipantResult, toGroupJid, toParticipantResults } from './record.ts';

export interface JoinRequest {
  /** Phone-number JID of the person, or the LID (an id that hides the number) when the number is unknown. */
  jid: string;
  lid?: string;
  /** Seconds since the epoch. */
  requestedAt: number;
  /** WhatsApp's value, such as `invite_link`. */
  method?: string;
}

interface PendingRequest extends JoinRequest {
  /** The address that the group uses for this person. */
  id: string;
}

const LIST_FAILURE: GroupFailure = { text: 'Error fetching join requests', status: 400 };

/**
 * Lists the pending requests in WhatsApp's order. Throws the errors of queryGroup(), and INVALID_REQUEST for an invalid
 * group id.
 */
export async function listJoinRequests(session: Session, groupJid: string): Promise<JoinRequest[]> {
  const pending = await fetchPending(session, toGroupJid(groupJid), LIST_FAILURE);
  return pending.map(({ id: _, ...request }) => request);
}

/**
 * Approves or rejects the join requests of `participants`. Returns one result per participant. The status is 404 for a
 * person without a pending request. Throws the errors of queryGroup(), USERNAME_NOT_FOUND, INVALID_REQUEST for an
 * invalid group id or number, and GROUP_REFUSED (`certain: false`) when WhatsApp's answer contains no result.
 */
export async function decideJoinRequests(
  session: Session,
  groupJid: string,
  { action, participants }: { action: 'approve' | 'reject'; participants: readonly string[] },
): Promise<ParticipantResult[]> {
  const group = toGroupJid(groupJid);
  const numbers = await resolveUsernames(session, participants, participantField);
  const inputJids = numbers.map((number, index) => toJid(number, participantField(index)));
  const failure: GroupFailure = { text: 'Error updating join requests', status: 400 };
  const pending = await fetchPending(session, group, failure);
  const found = inputJids.map((jid) => pending.find((request) => hasAddress(request, jid)));
  // The results for people without a pending request, in the form of toParticipantResults().
  const notFound = inputJids
    .filter((_, index) => !found[index])
    .map((jid) => ({
      status: '404',
      jid,
      content: { tag: 'participant', attrs: { jid, error: '404' }, content: [] },
    }));
  const jids = [...new Set(found.flatMap((request) => request?.id ?? []))];
  if (jids.length === 0) return notFound;
  const decision = { tag: action, attrs: {}, content: toParticipantNodes(jids) };
  const content = { tag: 'membership_requests_action', attrs: {}, content: [decision] };
  const answer = await queryGroup(session, failure, { to: group, type: 'set', content });
  const decided = childOf(childOf(answer, 'membership_requests_action'), action);
  const nodes = childrenOf(decided, 'participant');
  if (nodes.length === 0) {
    // WhatsApp has accepted the decision, and may have let people in.
    throw new GatewayError('GROUP_REFUSED', [failure.text, 'Error: no result'], { status: 400, certain: false });
  }
  // The second address of each person (phone number or LID), by the address that the group uses.
  const alternates = new Map(pending.map(({ id, jid, lid }) => [id, id === jid ? lid : jid]));
  return sortByInputOrder(inputJids, [...(await toParticipantResults(session, nodes, alternates)), ...notFound]);
}

async function fetchPending(session: Session, group: string, failure: GroupFailure): Promise<PendingRequest[]> {
  const content = { tag: 'membership_approval_requests', attrs: {} };
  const answer = await queryGroup(session, failure, { to: group, type: 'get', content });
  const list = childOf(answer, 'membership_approval_requests');
  if (!list) throw new GatewayError('GROUP_REFUSED', [failure.text, 'Error: no list'], { status: 400 });
  const nodes = childrenOf(list, 'membership_approval_request');
  const jidsWithoutAlternate = nodes.flatMap(({ attrs }) => (attrs.phone_number || attrs.lid ? [] : (attrs.jid ?? [])));
  const knownJids = {
    me: session.me(),
    lidPairs: await lookupSessionLidPairs(session, jidsWithoutAlternate),
  };
  return nodes.map(({ attrs }) => {
    const { jid, alt } = toJidAndAlt(attrs.jid ?? '', knownJids, attrs.phone_number ?? attrs.lid);
    return {
      id: attrs.jid ?? '',
      jid,
      ...(alt ? { lid: alt } : {}),
      requestedAt: toWholeNumber(attrs.request_time) ?? 0,
      ...(attrs.request_method ? { method: attrs.request_method } : {}),
    };
  });
}

/** True when the person has `address`. A number matches with and without the mobile digit (mobile-digit.ts). */
function hasAddress({ id, jid, lid }: PendingRequest, address: string): boolean {
  const addresses = [id, jid, lid];
  if (addresses.includes(address)) return true;
  return (
    isPhoneNumberJid(address) &&
    numberSpellingsOf(userOf(address)).some((digits) => addresses.includes(`${digits}@s.whatsapp.net`))
  );
}
