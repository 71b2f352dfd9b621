// Converts group metadata of Baileys to the group record of the API. The record has phone numbers where they are known.
// LIDs (ids that hide the number of a person) are in separate fields. Decision D-043.

import { GatewayError } from '../../errors.ts';
import type { GroupParticipant, GroupRecord } from '../../events/events.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isLid } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import { toUsername } from '../address/username.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import { queryAfterChange } from '../query.ts';
import type { Session } from '../session.ts';

export type { GroupRecord };

/** The result of a change for one participant. `status` is WhatsApp's code as text, `200` on success. */
export interface ParticipantResult {
  status: string;
  jid: string;
  content: { tag: string; attrs: Record<string, string>; content: { tag: string; attrs: Record<string, string> }[] };
}

/**
 * Converts the `groupJid` of a request to a JID. Accepts a group id without `@g.us`, and `%40` instead of `@`, because
 * some clients encode the value twice. Throws INVALID_REQUEST for other text. Decision D-044.
 */
export function toGroupJid(groupJid: string): string {
  const id = groupJid
    .trim()
    .replace(/%40/i, '@')
    .replace(/@g\.us$/i, '');
  if (/^\d+(-\d+)?$/.test(id)) return `${id}@g.us`;
  // A fixed text, which clients of other gateways compare.
  const message = 'groupJid does not match pattern "^[\\\\d-]+@g.us$"';
  throw new GatewayError('INVALID_REQUEST', [{ property: 'instance.groupJid', message }], { certain: true });
}

/** Removes participants without an address, which WhatsApp can send although the type does not allow them. */
export const removeWithoutAddress = (participants: GroupMetadata['participants']): GroupMetadata['participants'] =>
  participants.filter(({ id }) => id);

/**
 * Returns the JID of every person in the metadata, each with the person's other address (phone number or LID) if the
 * metadata contains it.
 */
export function groupAddressPairs(group: GroupMetadata): (readonly [string, string | undefined])[] {
  const { owner, ownerPn, subjectOwner, subjectOwnerPn, participants } = group;
  return [
    ...(owner ? [[owner, ownerPn] as const] : []),
    ...(subjectOwner ? [[subjectOwner, subjectOwnerPn] as const] : []),
    ...removeWithoutAddress(participants).map(({ id, phoneNumber, lid }) => [id, phoneNumber ?? lid] as const),
  ];
}

/**
 * Finds the other address (phone number or LID) for each JID of a person in `groups`. Takes it from the metadata, or
 * else from the store.
 */
export async function lookupKnownJids(session: Session, groups: readonly GroupMetadata[]): Promise<KnownJids> {
  const withoutAlternate = new Set<string>();
  const inMetadata = new Map<string, string>();
  const add = (jid: string, alternate?: string) => {
    if (alternate) inMetadata.set(jid, alternate);
    else withoutAlternate.add(jid);
  };
  for (const [jid, alternate] of groups.flatMap(groupAddressPairs)) add(jid, alternate);
  // The metadata can name a person several times, and not every time with the other address.
  for (const jid of inMetadata.keys()) withoutAlternate.delete(jid);
  const stored = await lookupSessionLidPairs(session, withoutAlternate);
  return { me: session.me(), lidPairs: new Map([...stored, ...inMetadata]) };
}

/** Converts metadata to a record without picture. `withParticipants: false` omits the participants. */
export function toGroupRecord(
  group: GroupMetadata,
  knownJids: KnownJids,
  { withParticipants = true }: { withParticipants?: boolean } = {},
): GroupRecord {
  const { id, subject, restrict = false, announce = false, addressingMode } = group;
  const members = removeWithoutAddress(group.participants);
  const creation = toWholeNumber(group.creation) ?? 0;
  const ephemeralDuration = toWholeNumber(group.ephemeralDuration);
  const owner = group.owner ? toJidAndAlt(group.owner, knownJids).jid : '';
  return {
    id,
    subject: subject ?? '',
    subjectOwner: group.subjectOwner ? toJidAndAlt(group.subjectOwner, knownJids).jid : owner,
    subjectTime: toWholeNumber(group.subjectTime) || creation,
    size: toWholeNumber(group.size) ?? members.length,
    creation,
    owner,
    ...(group.desc ? { desc: group.desc } : {}),
    ...(group.descId ? { descId: group.descId } : {}),
    restrict,
    announce,
    isCommunity: group.isCommunity === true,
    isCommunityAnnounce: group.isCommunityAnnounce === true,
    ...(group.linkedParent ? { linkedParent: group.linkedParent } : {}),
    ...(group.memberAddMode === undefined ? {} : { memberAddMode: group.memberAddMode }),
    ...(group.joinApprovalMode === undefined ? {} : { joinApprovalMode: group.joinApprovalMode }),
    ...(ephemeralDuration ? { ephemeralDuration } : {}),
    ...(addressingMode ? { addressingMode } : {}),
    ...(withParticipants ? { participants: members.map((member) => toParticipant(member, knownJids)) } : {}),
  };
}

function toParticipant(member: GroupMetadata['participants'][number], knownJids: KnownJids): GroupParticipant {
  const { jid, alt } = toJidAndAlt(member.id, knownJids);
  const lid = alt ?? (isLid(jid) ? jid : undefined);
  const username = toUsername(member.username);
  return { id: jid, admin: member.admin ?? null, ...(lid ? { lid } : {}), ...(username ? { username } : {}) };
}

/**
 * Converts the `<participant>` nodes of WhatsApp's answer to a group change into results. The attribute `error` of a
 * node is the code of a failure. `alternates` has the other address (phone number or LID) of people by their JID in the
 * answer, if the caller knows it.
 */
export async function toParticipantResults(
  session: Session,
  nodes: readonly Stanza[],
  alternates?: ReadonlyMap<string, string | undefined>,
): Promise<ParticipantResult[]> {
  const alternateOf = ({ jid = '', phone_number, lid }: Stanza['attrs']) => phone_number ?? lid ?? alternates?.get(jid);
  const withoutAlternate = nodes.filter(({ attrs }) => !alternateOf(attrs)).flatMap(({ attrs }) => attrs.jid ?? []);
  const knownJids = {
    me: session.me(),
    // WhatsApp has made the change, so an error of this lookup must not report that nothing has changed.
    lidPairs: await queryAfterChange(() => lookupSessionLidPairs(session, withoutAlternate)),
  };
  return nodes.map(({ tag, attrs, content }) => ({
    status: attrs.error ?? '200',
    jid: toJidAndAlt(attrs.jid ?? '', knownJids, alternateOf(attrs)).jid,
    // The child nodes are needed for example for the invite that WhatsApp offers for a person who cannot be added.
    content: {
      tag,
      attrs,
      content: Array.isArray(content) ? content.map((node) => ({ tag: node.tag, attrs: node.attrs })) : [],
    },
  }));
}
