// Reads, revokes, previews and accepts the invite links of groups. message/group-invite.ts sends an invite. Decision
// D-047.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import { toGroupMetadata } from '../baileys/queries.ts';
import { childOf } from '../baileys/stanza.ts';
import { queryAfterChange } from '../query.ts';
import type { Session } from '../session.ts';
import { queryGroup } from './query.ts';
import { type GroupRecord, lookupKnownJids, toGroupJid, toGroupRecord } from './record.ts';

const LINK_BASE = 'https://chat.whatsapp.com/';

/**
 * Returns the invite link of a group, which only admins can read. `text` is the error text for a refusal. Throws the
 * errors of queryGroup(), and INVALID_REQUEST for an invalid group id.
 */
export async function readInvite(
  session: Session,
  groupJid: string,
  text: string = COMPATIBILITY_PHRASES.inviteCode,
): Promise<{ inviteUrl: string; inviteCode: string }> {
  const failure = { text, status: 404 } as const;
  const content = { tag: 'invite', attrs: {} };
  const answer = await queryGroup(session, failure, { to: toGroupJid(groupJid), type: 'get', content });
  const code = childOf(answer, 'invite')?.attrs.code;
  if (!code) throw new GatewayError('GROUP_REFUSED', [failure.text, 'Error: no code'], { status: failure.status });
  return { inviteUrl: LINK_BASE + code, inviteCode: code };
}

/** Replaces the invite link of a group. The old link becomes invalid. Throws the errors of readInvite(). */
export async function revokeInvite(
  session: Session,
  groupJid: string,
): Promise<{ revoked: boolean; inviteCode: string; inviteUrl: string }> {
  const failure = { text: COMPATIBILITY_PHRASES.revokeInvite, status: 404 } as const;
  const content = { tag: 'invite', attrs: {} };
  const answer = await queryGroup(session, failure, { to: toGroupJid(groupJid), type: 'set', content });
  const code = childOf(answer, 'invite')?.attrs.code;
  // The answer may lack the new code, although WhatsApp has revoked the old link. A second query then reads the code,
  // and an error of this query has `certain: false`.
  const inviteCode = code ?? (await queryAfterChange(() => readInvite(session, groupJid))).inviteCode;
  return { revoked: true, inviteCode, inviteUrl: LINK_BASE + inviteCode };
}

/**
 * Returns the group of an invite code or link, with the fields that WhatsApp shows to outsiders. Throws the errors of
 * queryGroup(), and INVALID_REQUEST for an invalid code or link.
 */
export async function previewInvite(session: Session, invite: string): Promise<GroupRecord> {
  const code = toInviteCode(invite);
  const answer = await queryGroup(
    session,
    { text: COMPATIBILITY_PHRASES.inviteInfo, detail: code, status: 404 },
    { to: '@g.us', type: 'get', content: { tag: 'invite', attrs: { code } } },
  );
  const group = toGroupMetadata(answer);
  return toGroupRecord(group, await lookupKnownJids(session, [group]));
}

/**
 * Joins the group of an invite code or link. `accepted` is false when an admin must approve first. Throws the errors of
 * previewInvite().
 */
export async function acceptInvite(session: Session, invite: string): Promise<{ accepted: boolean; groupJid: string }> {
  const answer = await queryGroup(
    session,
    { text: COMPATIBILITY_PHRASES.acceptInvite, status: 404 },
    { to: '@g.us', type: 'set', content: { tag: 'invite', attrs: { code: toInviteCode(invite) } } },
  );
  const joined = childOf(answer, 'group')?.attrs.jid;
  const requested = childOf(answer, 'membership_approval_request')?.attrs.jid;
  // Removes metadata that was cached before the account joined.
  if (joined) session.groups.delete(joined);
  return { accepted: joined !== undefined, groupJid: joined ?? requested ?? '' };
}

/** Returns the code in an invite code or link. Throws INVALID_REQUEST for other text. */
function toInviteCode(invite: string): string {
  const [, code] =
    /^(?:https?:\/\/chat\.whatsapp\.com\/(?:invite\/)?)?([\w-]+)\/?(?:\?.*)?$/i.exec(invite.trim()) ?? [];
  if (code) return code;
  const problem = { property: 'instance.inviteCode', message: 'inviteCode is neither a code nor a link' };
  throw new GatewayError('INVALID_REQUEST', [problem], { certain: true });
}
