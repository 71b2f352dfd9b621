// Invitations to groups (interface §4.5): read the link, look at one, accept one.
import { getBinaryNodeChild } from '@whiskeysockets/baileys';
import { extractGroupMetadata } from '@whiskeysockets/baileys/lib/Socket/groups.js';
import { GatewayError } from '../../errors.ts';
import type { Session } from '../session.ts';
import { askGroup } from './ask.ts';
import { type GroupRecord, namesOf, toGroupJid, toRecord } from './record.ts';

const linkBase = 'https://chat.whatsapp.com/';

/** The link of a group, for its admins. Throws as askGroup(), and INVALID_REQUEST for what is no group's id. */
export async function readInvite(
  session: Session,
  groupJid: string,
): Promise<{ inviteUrl: string; inviteCode: string }> {
  const failure = { text: 'No invite code', status: 404 } as const;
  const content = { tag: 'invite', attrs: {} };
  const answer = await askGroup(session, failure, { to: toGroupJid(groupJid), type: 'get', content });
  const code = getBinaryNodeChild(answer, 'invite')?.attrs.code;
  if (!code) throw new GatewayError('GROUP_REFUSED', [failure.text, 'Error: no code'], { status: failure.status });
  return { inviteUrl: linkBase + code, inviteCode: code };
}

/** The group behind a code or a link, as far as it is shown to those outside. Throws as readInvite(). */
export async function previewInvite(session: Session, invite: string): Promise<GroupRecord> {
  const code = toCode(invite);
  const answer = await askGroup(
    session,
    { text: 'No invite info', status: 404 },
    { to: '@g.us', type: 'get', content: { tag: 'invite', attrs: { code } } },
  );
  const group = extractGroupMetadata(answer);
  return toRecord(group, await namesOf(session, [group]), true);
}

/** Joins the group behind a code or a link. Not `accepted` where an admin has to agree first. Throws as readInvite(). */
export async function acceptInvite(session: Session, invite: string): Promise<{ accepted: boolean; groupJid: string }> {
  const answer = await askGroup(
    session,
    { text: 'Accept invite error', status: 404 },
    { to: '@g.us', type: 'set', content: { tag: 'invite', attrs: { code: toCode(invite) } } },
  );
  const joined = getBinaryNodeChild(answer, 'group')?.attrs.jid;
  const requested = getBinaryNodeChild(answer, 'membership_approval_request')?.attrs.jid;
  // What was known of the group, if anything, is from before we were in it.
  if (joined) session.groups.drop(joined);
  return { accepted: joined !== undefined, groupJid: joined ?? requested ?? '' };
}

/** The code of a link or the code itself. Throws INVALID_REQUEST for anything else. */
function toCode(invite: string): string {
  const [, code] =
    /^(?:https?:\/\/chat\.whatsapp\.com\/(?:invite\/)?)?([\w-]+)\/?(?:\?.*)?$/i.exec(invite.trim()) ?? [];
  if (code) return code;
  const problem = { property: 'instance.inviteCode', message: 'inviteCode is neither a code nor a link' };
  throw new GatewayError('INVALID_REQUEST', [problem], { certain: true });
}
