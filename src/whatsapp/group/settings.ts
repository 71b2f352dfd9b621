// Changes the settings of a group: who is allowed to send, edit, add members and join, and the disappearing-messages
// timer.
import type { Stanza } from '../baileys/stanza.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, queryGroup } from './query.ts';
import { toGroupJid } from './record.ts';

export type GroupSetting = 'announcement' | 'not_announcement' | 'locked' | 'unlocked';

const FAILURE: GroupFailure = { text: 'Error updating setting', status: 400 };

/**
 * Sets who is allowed to send messages (`announcement`: only admins) or to change the group's profile (`locked`: only
 * admins). Throws the errors of queryGroup(), and INVALID_REQUEST for an invalid group id.
 */
export async function updateSetting(session: Session, groupJid: string, setting: GroupSetting): Promise<void> {
  await queryGroup(session, FAILURE, { to: toGroupJid(groupJid), type: 'set', content: { tag: setting, attrs: {} } });
}

/**
 * Sets the disappearing-messages timer in seconds (D-045); 0 turns the timer off. Throws the errors of updateSetting().
 */
export async function setGroupDisappearingTimer(session: Session, groupJid: string, expiration: number): Promise<void> {
  const group = toGroupJid(groupJid);
  const content: Stanza =
    expiration > 0
      ? { tag: 'ephemeral', attrs: { expiration: String(expiration) } }
      : { tag: 'not_ephemeral', attrs: {} };
  await queryGroup(session, FAILURE, { to: group, type: 'set', content });
  // Messages to the group contain the cached timer. It is changed now, so that the next message has the new timer even
  // before WhatsApp's notification of the change arrives.
  session.groups.apply(group, content);
}

/** Sets who is allowed to add members. Throws the errors of updateSetting(). */
export async function updateMemberAddMode(
  session: Session,
  groupJid: string,
  mode: 'admin_add' | 'all_member_add',
): Promise<void> {
  const content = { tag: 'member_add_mode', attrs: {}, content: mode };
  await queryGroup(session, FAILURE, { to: toGroupJid(groupJid), type: 'set', content });
}

/** Turns the approval of new members by an admin on or off. Throws the errors of updateSetting(). */
export async function updateJoinApprovalMode(session: Session, groupJid: string, mode: 'on' | 'off'): Promise<void> {
  const state = { tag: 'group_join', attrs: { state: mode } };
  const content = { tag: 'membership_approval_mode', attrs: {}, content: [state] };
  await queryGroup(session, FAILURE, { to: toGroupJid(groupJid), type: 'set', content });
}
