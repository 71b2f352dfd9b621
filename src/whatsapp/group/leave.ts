// Leaves a group.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { childOf, childrenOf } from '../baileys/stanza.ts';
import { QueryRefusal } from '../query.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, queryGroup, toGroupError } from './query.ts';
import { toGroupJid } from './record.ts';

const FAILURE: GroupFailure = { text: COMPATIBILITY_PHRASES.leaveGroup, status: 400 };

/** Leaves the group. Throws the errors of queryGroup(), and INVALID_REQUEST for an invalid group id. */
export async function leaveGroup(session: Session, groupJid: string): Promise<{ groupJid: string; leave: boolean }> {
  const group = toGroupJid(groupJid);
  const content = { tag: 'leave', attrs: {}, content: [{ tag: 'group', attrs: { id: group } }] };
  const answer = await queryGroup(session, FAILURE, { to: '@g.us', type: 'set', content });
  // The query takes a list of groups. The answer contains one result per group, with an error code or 200.
  const [result] = childrenOf(childOf(answer, 'leave'), 'group');
  const { error } = result?.attrs ?? {};
  if (error && error !== '200') {
    const reason = error === '404' ? 'item-not-found' : `WhatsApp answered ${error}`;
    throw toGroupError(new QueryRefusal(Number(error), reason, result), FAILURE);
  }
  // Removes the cached metadata, which is outdated now.
  session.groups.delete(group);
  return { groupJid: group, leave: true };
}
