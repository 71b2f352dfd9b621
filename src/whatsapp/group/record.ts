// Converts group metadata of Baileys to a group record (interface §2.5): phone numbers in the main fields, LIDs beside
// them.

import { GatewayError } from '../../errors.ts';
import type { GroupParticipant, GroupRecord } from '../../events/events.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { lookupLids } from '../address/lid-map.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import type { Session } from '../session.ts';

export type { GroupRecord };

/** Result of one participant. `status` is WhatsApp's code as text, 200 on success. */
export interface ParticipantResult {
  status: string;
  jid: string;
  content: { tag: string; attrs: Record<string, string>; content: { tag: string; attrs: Record<string, string> }[] };
}

/**
 * Converts a `groupJid` of a request, with or without `@g.us`, also when it is URL-encoded twice. Throws
 * INVALID_REQUEST for other text.
 */
export function toGroupJid(groupJid: string): string {
  const name = groupJid
    .trim()
    .replace(/%40/i, '@')
    .replace(/@g\.us$/i, '');
  if (/^\d+(-\d+)?$/.test(name)) return `${name}@g.us`;
  const message = 'groupJid does not match pattern "^[\\\\d-]+@g.us$"';
  throw new GatewayError('INVALID_REQUEST', [{ property: 'instance.groupJid', message }], { certain: true });
}

/** Removes participants without an address. WhatsApp's stanzas may lack it although the type of Baileys requires it. */
export const withAddress = (participants: GroupMetadata['participants']): GroupMetadata['participants'] =>
  participants.filter(({ id }) => id);

/** Returns the address of every person in a group record, with the alternate address when the record has it. */
export function groupAddressPairs(group: GroupMetadata): (readonly [string, string | undefined])[] {
  const { owner, ownerPn, subjectOwner, subjectOwnerPn, participants } = group;
  return [
    ...(owner ? [[owner, ownerPn] as const] : []),
    ...(subjectOwner ? [[subjectOwner, subjectOwnerPn] as const] : []),
    ...withAddress(participants).map(({ id, phoneNumber, lid }) => [id, phoneNumber ?? lid] as const),
  ];
}

/** Collects the alternate addresses of all people in `groups`: those in the records, and stored ones for the others. */
export async function lookupGroupJids(session: Session, groups: readonly GroupMetadata[]): Promise<KnownJids> {
  const withoutAlternate = new Set<string>();
  const inRecords = new Map<string, string>();
  const add = (jid: string, alternate?: string) => {
    if (alternate) inRecords.set(jid, alternate);
    else withoutAlternate.add(jid);
  };
  for (const [jid, alternate] of groups.flatMap(groupAddressPairs)) add(jid, alternate);
  for (const jid of inRecords.keys()) withoutAlternate.delete(jid);
  const stored = await lookupLids(session.socket.authState.keys, withoutAlternate);
  return { me: session.me(), lidPairs: new Map([...stored, ...inRecords]) };
}

/** Returns the record without its picture; participants only when `withParticipants` is set. */
export function toGroupRecord(group: GroupMetadata, knownJids: KnownJids, withParticipants: boolean): GroupRecord {
  const { id, subject, restrict = false, announce = false, addressingMode } = group;
  const members = withAddress(group.participants);
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

function toParticipant({ id, admin }: GroupMetadata['participants'][number], knownJids: KnownJids): GroupParticipant {
  const { jid, alt } = toJidAndAlt(id, knownJids);
  const lid = alt ?? (jid.endsWith('@lid') ? jid : undefined);
  return { id: jid, admin: admin ?? null, ...(lid ? { lid } : {}) };
}

/** Converts the `<participant>` nodes of an answer to results. `error` is the code of a failure. */
export async function toParticipantResults(session: Session, nodes: readonly Stanza[]): Promise<ParticipantResult[]> {
  const alternateOf = (attrs: Stanza['attrs']) => attrs.phone_number ?? attrs.lid;
  const withoutAlternate = nodes.filter(({ attrs }) => !alternateOf(attrs)).flatMap(({ attrs }) => attrs.jid ?? []);
  const knownJids = { me: session.me(), lidPairs: await lookupLids(session.socket.authState.keys, withoutAlternate) };
  return nodes.map(({ tag, attrs, content }) => ({
    status: attrs.error ?? '200',
    jid: toJidAndAlt(attrs.jid ?? '', knownJids, alternateOf(attrs)).jid,
    // For example the invite that WhatsApp offers for a person who cannot be added.
    content: {
      tag,
      attrs,
      content: Array.isArray(content) ? content.map((node) => ({ tag: node.tag, attrs: node.attrs })) : [],
    },
  }));
}
