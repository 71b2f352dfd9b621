// Leaves a group (contract: leaveGroup).
import { childOf, childrenOf } from '../baileys/stanza.ts';
import { QueryRefusal } from '../query.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, queryGroup, toGroupError } from './query.ts';
import { toGroupJid } from './record.ts';

const FAILURE: GroupFailure = { text: 'Unable to leave the group', status: 400 };

/** Throws as askGroup(), and INVALID_REQUEST for what is no group's id. */
export async function leaveGroup(session: Session, groupJid: string): Promise<{ groupJid: string; leave: boolean }> {
  const group = toGroupJid(groupJid);
  const content = { tag: 'leave', attrs: {}, content: [{ tag: 'group', attrs: { id: group } }] };
  const answer = await queryGroup(session, FAILURE, { to: '@g.us', type: 'set', content });
  // The question is about a list of groups: each has an answer of its own.
  const [about] = childrenOf(childOf(answer, 'leave'), 'group');
  const { error } = about?.attrs ?? {};
  if (error && error !== '200') {
    const words = error === '404' ? 'item-not-found' : `the platform answered ${error}`;
    throw toGroupError(new QueryRefusal(Number(error), words, about), FAILURE);
  }
  session.groups.drop(group);
  return { groupJid: group, leave: true };
}
