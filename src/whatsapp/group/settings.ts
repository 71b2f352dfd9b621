// Who may send, edit, add and join, and how long messages stay (interface §4.5: updateSetting, toggleEphemeral).
import type { Stanza } from '../baileys/stanza.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, queryGroup } from './query.ts';
import { toGroupJid } from './record.ts';

export type GroupSetting = 'announcement' | 'not_announcement' | 'locked' | 'unlocked';

const FAILURE: GroupFailure = { text: 'Error updating setting', status: 400 };

/** Throws as askGroup(), and INVALID_REQUEST for what is no group's id. */
export async function updateSetting(session: Session, groupJid: string, setting: GroupSetting): Promise<void> {
  await queryGroup(session, FAILURE, { to: toGroupJid(groupJid), type: 'set', content: { tag: setting, attrs: {} } });
}

/** Messages disappear after `expiration` seconds; 0 keeps them. Throws as updateSetting(). */
export async function toggleEphemeral(session: Session, groupJid: string, expiration: number): Promise<void> {
  const group = toGroupJid(groupJid);
  const content: Stanza =
    expiration > 0
      ? { tag: 'ephemeral', attrs: { expiration: String(expiration) } }
      : { tag: 'not_ephemeral', attrs: {} };
  await queryGroup(session, FAILURE, { to: group, type: 'set', content });
  session.groups.apply(group, content);
}

/** Who may add members. Throws as updateSetting(). */
export async function updateMemberAddMode(
  session: Session,
  groupJid: string,
  mode: 'admin_add' | 'all_member_add',
): Promise<void> {
  const content = { tag: 'member_add_mode', attrs: {}, content: mode };
  await queryGroup(session, FAILURE, { to: toGroupJid(groupJid), type: 'set', content });
}

/** Whether whoever joins by link waits for an admin. Throws as updateSetting(). */
export async function updateJoinApprovalMode(session: Session, groupJid: string, mode: 'on' | 'off'): Promise<void> {
  const state = { tag: 'group_join', attrs: { state: mode } };
  const content = { tag: 'membership_approval_mode', attrs: {}, content: [state] };
  await queryGroup(session, FAILURE, { to: toGroupJid(groupJid), type: 'set', content });
}
