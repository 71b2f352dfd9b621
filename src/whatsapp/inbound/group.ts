// Maps Baileys' group events to domain events: new groups, changes of settings, changes of participants, join requests.
// No I/O. Decision D-058.

import type { AffectedPerson, DomainEvent, GroupUpdate } from '../../events/events.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isGroup, isLid } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import { toUsername } from '../address/username.ts';
import type { GroupMetadata, SocketEvents, WireParticipant } from '../baileys/types.ts';
import { groupAddressPairs, removeWithoutAddress, toGroupRecord } from '../group/record.ts';
import type { Batch } from './batch.ts';

type EventOf<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>;

/** A change of a group, combined from Baileys' group, contact and chat events. */
export type GroupChange = Partial<GroupMetadata> & { picture?: 'changed' | 'removed' };

/** Maps a group that this account created or was added to. */
export function fromNewGroup(group: GroupMetadata, knownJids: KnownJids): EventOf<'groups.upsert'> {
  // The group itself contains pairs of phone number and LID (an id that hides the number) of its participants.
  const pairs = groupAddressPairs(group).flatMap(([jid, alternate]) => (alternate ? [[jid, alternate] as const] : []));
  const allJids = { me: knownJids.me, lidPairs: new Map([...knownJids.lidPairs, ...pairs]) };
  return { type: 'groups.upsert', group: { ...toGroupRecord(group, allJids), ...toAuthor(group, allJids) } };
}

/**
 * Returns the changes of groups in a batch: settings, pictures, message timers. Skips a `groups.update` with
 * participants: it is a complete group record and reports no change.
 */
export function groupChanges(batch: Batch): (GroupChange & { id: string })[] {
  const pictures = (batch['contacts.update'] ?? []).flatMap(({ id, imgUrl }) =>
    id && isGroup(id) && imgUrl ? [{ id, picture: toPictureChange(imgUrl) }] : [],
  );
  const timers = (batch['chats.update'] ?? []).flatMap(({ id, ephemeralExpiration }) =>
    id && isGroup(id) && ephemeralExpiration !== undefined ? [{ id, ephemeralDuration: ephemeralExpiration ?? 0 }] : [],
  );
  const changes = (batch['groups.update'] ?? []).flatMap(({ id, ...change }) =>
    id && !change.participants ? [{ id, ...change }] : [],
  );
  return [...changes, ...pictures, ...timers];
}

/** Baileys sets `imgUrl` to `changed` or `removed` when a picture changes. */
const toPictureChange = (imgUrl: string): 'changed' | 'removed' => (imgUrl === 'removed' ? 'removed' : 'changed');

/** Maps a change of a group. Returns undefined when the change contains no field of the domain event. */
export function fromGroupChange(
  change: GroupChange & { id: string },
  knownJids: KnownJids,
): EventOf<'groups.update'> | undefined {
  const { id, subject, announce, restrict, inviteCode, memberAddMode, joinApprovalMode, picture } = change;
  const ephemeralDuration = toWholeNumber(change.ephemeralDuration);
  // When the description was removed, `desc` is present with the value undefined.
  const desc = 'desc' in change ? (change.desc ?? '') : undefined;
  const settings = { subject, desc, announce, restrict, inviteCode, memberAddMode, joinApprovalMode };
  const fields = Object.entries({ ...settings, ephemeralDuration, picture }).filter(([, value]) => value !== undefined);
  if (fields.length === 0) return undefined;
  const group: GroupUpdate = { id, ...Object.fromEntries(fields), ...toAuthor(change, knownJids) };
  return { type: 'groups.update', group };
}

/** Maps a change of participants. Returns undefined when the event names no participants. */
export function fromParticipantsUpdate(
  update: SocketEvents['group-participants.update'],
  knownJids: KnownJids,
): EventOf<'group-participants.update'> | undefined {
  const { id, action, participants } = update;
  const people = removeWithoutAddress(participants).map((participant) => toPerson(participant, knownJids));
  if (people.length === 0) return undefined;
  return { type: 'group-participants.update', id, action, participants: people, ...toAuthor(update, knownJids) };
}

/**
 * Maps a new, withdrawn or rejected join request. There is no such event for an approved request: WhatsApp reports the
 * person as a new participant. Returns undefined when the event names no person.
 */
export function fromJoinRequest(
  request: SocketEvents['group.join-request'],
  knownJids: KnownJids,
): EventOf<'group.join-request'> | undefined {
  const { id, action, method, participant, participantPn } = request;
  if (!participant) return undefined;
  return {
    type: 'group.join-request',
    id,
    action,
    ...(method ? { method } : {}),
    participant: toPerson({ id: participant, phoneNumber: participantPn }, knownJids),
    ...toAuthor(request, knownJids),
  };
}

/**
 * Returns a pair for every person in the batch's group events: an address of the person, and the second address (phone
 * number or LID) if the event contains it.
 */
export function groupEventAddressPairs(batch: Batch): (readonly [string | undefined, string | undefined])[] {
  const participantsUpdate = batch['group-participants.update'];
  const joinRequest = batch['group.join-request'];
  const groupEvents = [...(batch['groups.upsert'] ?? []), ...(batch['groups.update'] ?? [])];
  const eventsWithAuthor = [...groupEvents, participantsUpdate, joinRequest];
  return [
    ...(batch['groups.upsert'] ?? []).flatMap(groupAddressPairs),
    ...(participantsUpdate?.participants ?? []).map(({ id, phoneNumber, lid }) => [id, phoneNumber ?? lid] as const),
    [joinRequest?.participant, joinRequest?.participantPn],
    ...eventsWithAuthor.map((event) => [event?.author, event?.authorPn] as const),
  ];
}

function toPerson(participant: WireParticipant, knownJids: KnownJids): AffectedPerson {
  const { id, phoneNumber, lid, admin } = participant;
  // `alt` is always a LID.
  const { jid, alt } = toJidAndAlt(id, knownJids, phoneNumber ?? lid);
  const knownLid = alt ?? (isLid(jid) ? jid : undefined);
  const username = toUsername(participant.username);
  return {
    jid,
    ...(knownLid ? { lid: knownLid } : {}),
    ...(username ? { username } : {}),
    ...(isAdmin(admin) ? { admin } : {}),
  };
}

/** Checks the value, because Baileys copies WhatsApp's attribute unchecked. */
const isAdmin = (admin: WireParticipant['admin']) => admin === 'admin' || admin === 'superadmin';

/** Returns the person who made the change. Returns an empty object when WhatsApp does not name the person. */
function toAuthor(
  change: { author?: string; authorPn?: string },
  knownJids: KnownJids,
): { author?: string; authorAlt?: string } {
  if (!change.author) return {};
  const { jid, alt } = toJidAndAlt(change.author, knownJids, change.authorPn);
  return { author: jid, ...(alt ? { authorAlt: alt } : {}) };
}
