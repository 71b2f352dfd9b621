// Creates groups. Decision D-042.

import { GatewayError } from '../../errors.ts';
import { toGroupMetadata } from '../baileys/queries.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Media } from '../media/media.ts';
import { queryAfterChange } from '../query.ts';
import type { Session } from '../session.ts';
import { applyInitialSettings, type FailedSetting, type InitialSettings } from './initial-settings.ts';
import { addressesOf, resolveInvitees, sortByInputOrder, toInviteeNodes } from './participants.ts';
import { queryGroup } from './query.ts';
import { fetchGroupPicture } from './read.ts';
import {
  type GroupRecord,
  lookupKnownJids,
  type ParticipantResult,
  toGroupRecord,
  toParticipantResults,
} from './record.ts';

export interface NewGroup extends InitialSettings {
  subject: string;
  participants: readonly string[];
}

export interface CreatedGroup extends GroupRecord {
  /** One result per requested participant, added or not. */
  updateParticipants: ParticipantResult[];
  /** The settings that could not be applied; absent when there are none. */
  failed?: FailedSetting[];
}

/**
 * Creates a group and returns its record. The group is created even if a participant cannot be added, or if the
 * description, the picture or a promotion fails: `updateParticipants` and `failed` list these failures. Throws the
 * errors of queryGroup(), and NUMBER_NOT_ON_PLATFORM when no participant is on WhatsApp.
 */
export async function createGroup(session: Session, media: Media, input: NewGroup): Promise<CreatedGroup> {
  // `requestedJids`: all participants. `jids`: the participants on WhatsApp. `absent`: the results of the others.
  const { requestedJids, jids, absent } = await resolveInvitees(session, input.participants);
  if (jids.length === 0) {
    const details = absent.map(({ jid, content }) => ({ exists: false, jid, number: content.attrs.number ?? jid }));
    throw new GatewayError('NUMBER_NOT_ON_PLATFORM', details, { certain: true });
  }
  // Adds each person under the address to which this account sends direct messages: the phone number, or the LID (id
  // that hides the number).
  const addresses = await Promise.all(jids.map(async (jid) => (await session.addresses.find(jid)).jid));
  const answer = await queryGroup(
    session,
    { text: 'Error creating group' },
    {
      to: '@g.us',
      type: 'set',
      content: {
        tag: 'create',
        attrs: { subject: input.subject },
        content: await toInviteeNodes(session, addresses),
      },
    },
  );
  const { group, participants } = toCreatedGroup(answer);
  session.groups.set(group);
  const failed = await applyInitialSettings(session, media, group, input);
  const results = await toParticipantResults(session, participants);
  return {
    ...toGroupRecord(group, await queryAfterChange(() => lookupKnownJids(session, [group]))),
    pictureUrl: input.profilePicture ? await fetchGroupPicture(session, group.id) : null,
    // The answer also lists this account, which was not requested.
    updateParticipants: sortByInputOrder(requestedJids, [
      ...results.filter((result) => addressesOf(result).some((jid) => jids.includes(jid))),
      ...absent,
    ]),
    ...(failed.length > 0 ? { failed } : {}),
  };
}

/**
 * Reads the group and its `<participant>` nodes from the answer. WhatsApp also lists participants that it did not add,
 * with the attribute `error`. The returned group does not contain these.
 */
function toCreatedGroup(answer: Stanza) {
  const node = childOf(answer, 'group');
  const participants = childrenOf(node, 'participant');
  const members = participants.filter(({ attrs }) => !attrs.error);
  const otherNodes = Array.isArray(node?.content) ? node.content.filter(({ tag }) => tag !== 'participant') : [];
  const content = node ? [{ tag: 'group', attrs: node.attrs, content: [...otherNodes, ...members] }] : undefined;
  const group = toGroupMetadata({ tag: 'iq', attrs: {}, ...(content ? { content } : {}) });
  return { group: { ...group, size: members.length }, participants };
}
