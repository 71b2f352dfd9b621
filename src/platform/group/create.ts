// Creates groups (interface §4.5: create).
import {
  type BinaryNode,
  generateMessageIDV2,
  getBinaryNodeChild,
  getBinaryNodeChildren,
} from '@whiskeysockets/baileys';
import { extractGroupMetadata } from '@whiskeysockets/baileys/lib/Socket/groups.js';
import { GatewayError } from '../../errors.ts';
import type { Session } from '../session.ts';
import { askGroup } from './ask.ts';
import { inOrder, toInvited, toNodes } from './participants.ts';
import { describe } from './profile.ts';
import { type GroupRecord, namesOf, type ParticipantResult, toRecord, toResults } from './record.ts';

export interface NewGroup {
  subject: string;
  description?: string;
  participants: readonly string[];
}

export interface CreatedGroup extends GroupRecord {
  /** What became of everybody who was asked for, members or not. */
  updateParticipants: ParticipantResult[];
}

/**
 * The new group. Somebody who may not be added does not prevent it, and neither does a description the platform refuses: the record
 * says what is. Throws as askGroup(), and NUMBER_NOT_ON_PLATFORM when none of the participants is.
 */
export async function createGroup(session: Session, wanted: NewGroup): Promise<CreatedGroup> {
  const { jids, absent } = await toInvited(session, wanted.participants);
  if (jids.length === 0) {
    const unknown = absent.map(({ jid, content }) => ({ exists: false, jid, number: content.attrs.number ?? jid }));
    throw new GatewayError('NUMBER_NOT_ON_PLATFORM', unknown, { certain: true });
  }
  const answer = await askGroup(
    session,
    { text: 'Error creating group' },
    {
      to: '@g.us',
      type: 'set',
      content: {
        tag: 'create',
        attrs: { subject: wanted.subject, key: generateMessageIDV2() },
        content: toNodes(jids),
      },
    },
  );
  const { group, asked } = withoutRefused(answer);
  session.groups.keep(group);
  if (wanted.description && (await isDescribed(session, group.id, wanted.description))) group.desc = wanted.description;
  const results = await toResults(session, asked);
  const isAsked = new Set(jids);
  return {
    ...toRecord(group, await namesOf(session, [group]), true),
    pictureUrl: null,
    updateParticipants: inOrder(wanted.participants, [...results.filter(({ jid }) => isAsked.has(jid)), ...absent]),
  };
}

/** The platform lists whoever it did not add among the participants, with an `error`. */
function withoutRefused(answer: BinaryNode) {
  const node = getBinaryNodeChild(answer, 'group');
  const asked = getBinaryNodeChildren(node, 'participant');
  const members = asked.filter(({ attrs }) => !attrs.error);
  const others = Array.isArray(node?.content) ? node.content.filter(({ tag }) => tag !== 'participant') : [];
  const content = node ? [{ tag: 'group', attrs: node.attrs, content: [...others, ...members] }] : undefined;
  const group = extractGroupMetadata({ tag: 'iq', attrs: {}, ...(content ? { content } : {}) });
  return { group: { ...group, size: members.length }, asked };
}

async function isDescribed(session: Session, group: string, description: string): Promise<boolean> {
  return describe(session, group, description).then(
    () => true,
    (err: unknown) => {
      session.log.warn({ err }, 'group.description.failed');
      return false;
    },
  );
}
