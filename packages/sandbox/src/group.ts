// One group: its record, the permission checks, and the result for each account that is added, removed, promoted or
// demoted.
import { randomBytes } from 'node:crypto';
import type { AddressForm } from './delivery.ts';
import type { GroupRights } from './mailbox.ts';
import type { Account, World } from './model.ts';

export type Rank = 'member' | 'admin' | 'superadmin';
export type MemberAddMode = 'admin_add' | 'all_member_add';

export interface Group {
  /** With `@g.us`. */
  readonly id: string;
  /** How members are addressed in it. */
  readonly mode: AddressForm;
  readonly creator: Account;
  /** Epoch seconds, like every other time in here. */
  readonly creation: number;
  readonly members: Map<Account, Rank>;
  subject: { text: string; by: Account; at: number };
  description: { id: string; text: string; by: Account; at: number } | undefined;
  /** Only admins write. */
  announcement: boolean;
  /** Only admins change subject, description, picture and timer. */
  locked: boolean;
  memberAddMode: MemberAddMode;
  /** Who joins by link waits for an admin. */
  approval: boolean;
  /** Seconds; 0: messages stay. */
  expiration: number;
  inviteCode: string;
  /** Who waits to be let in, and since when. */
  readonly requests: Map<Account, number>;
  /** Personal invitations to people whose privacy forbids adding them. */
  readonly invitations: Map<Account, { code: string; expiration: number; by: Account }>;
  picture: { id: string; bytes: Buffer } | undefined;
  /** Counts changes of membership. */
  version: number;
}

/** What happened; whatever else there is to say is in the group by then. */
export interface GroupChange {
  group: Group;
  actor: Account;
  kind:
    | 'create'
    | 'add'
    | 'remove'
    | 'promote'
    | 'demote'
    | 'subject'
    | 'description'
    | 'announcement'
    | 'locked'
    | 'ephemeral'
    | 'member_add_mode'
    | 'membership_approval_mode'
    | 'invite'
    | 'picture'
    | 'created_membership_requests'
    | 'revoked_membership_requests';
  /** Whom it happened to, where it is about people. */
  accounts: readonly Account[];
  /** How the accounts joined; absent when a member added them. */
  reason?: 'invite';
}

/**
 * Refused, with the platform's code: 403 not allowed, 404 no such group, 406 not acceptable, 409 conflict, 410 gone.
 */
export class GroupError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What became of one person: 200, or the platform's code for why not. */
export interface MemberResult {
  /** As it was asked. */
  jid: string;
  /** Undefined when no account has that address. */
  account: Account | undefined;
  status: number;
  /** With 403: an invitation that the person may accept instead. Epoch seconds. */
  invitation?: { code: string; expiration: number };
}

/** How long a personal invitation is good for, seconds. */
const INVITATION_LIFETIME = 3 * 24 * 3600;

/** The member's rank. Throws GroupError 403 when the account is not a member. */
export function rankOf(group: Group, account: Account): Rank {
  const rank = group.members.get(account);
  if (!rank) throw new GroupError(403, `${account.number} is not in this group`);
  return rank;
}

/** Throws GroupError 403 unless the account is an admin of the group. */
export function assertAdmin(group: Group, account: Account): void {
  if (rankOf(group, account) === 'member') throw new GroupError(403, `${account.number} is no admin of this group`);
}

/** Throws GroupError 403 unless the account may change what the group shows of itself. */
export function assertMayEdit(group: Group, account: Account): void {
  if (group.locked) assertAdmin(group, account);
  else rankOf(group, account);
}

/** What the person with this number may do to messages of others in the group. */
export function groupRightsOf(group: Group | undefined, number: string): GroupRights | undefined {
  if (!group) return undefined;
  const [, rank] = [...group.members].find(([account]) => account.number === number) ?? [];
  const isAdmin = rank === 'admin' || rank === 'superadmin';
  return { canDelete: isAdmin, canPin: isAdmin || (rank === 'member' && !group.locked) };
}

/** Throws GroupError 403 unless the account may write in the group. */
export function assertMayWrite(group: Group, account: Account): void {
  if (group.announcement) assertAdmin(group, account);
  else rankOf(group, account);
}

/**
 * Makes members of those who can be: 401 they blocked the actor, 403 privacy, 404 not on the platform, 409 already in.
 */
export function addMembers(world: World, group: Group, actor: Account, jids: readonly string[]): MemberResult[] {
  return jids.map((jid) => {
    const account = world.byJid(jid);
    if (!account) return { jid, account, status: 404 };
    if (group.members.has(account)) return { jid, account, status: 409 };
    if (account.blocked.has(actor.number)) return { jid, account, status: 401 };
    if (account.privacy.get('groupadd') === 'none') {
      const expiration = world.now() + INVITATION_LIFETIME;
      const invitation = { code: randomBytes(12).toString('base64url'), expiration, by: actor };
      group.invitations.set(account, invitation);
      return { jid, account, status: 403, invitation };
    }
    group.members.set(account, 'member');
    group.requests.delete(account);
    return { jid, account, status: 200 };
  });
}

/** 404 not in the group, 406 the creator, who cannot be removed or demoted. */
export function changeMembers(
  world: World,
  group: Group,
  kind: 'remove' | 'promote' | 'demote',
  jids: readonly string[],
): MemberResult[] {
  return jids.map((jid) => {
    const account = world.byJid(jid);
    const rank = account && group.members.get(account);
    if (!rank) return { jid, account, status: 404 };
    if (rank === 'superadmin' && kind !== 'promote') return { jid, account, status: 406 };
    if (kind === 'remove') group.members.delete(account);
    else if (rank !== 'superadmin') group.members.set(account, kind === 'promote' ? 'admin' : 'member');
    return { jid, account, status: 200 };
  });
}
