// The record of a group, checks of what its members are allowed to do, and changes of its members. A change of members
// has one result per person.
import { randomBytes } from 'node:crypto';
import type { Addressing } from './delivery.ts';
import type { Account, World } from './model.ts';

export type Rank = 'member' | 'admin' | 'superadmin';
export type MemberAddMode = 'admin_add' | 'all_member_add';

/** What a member is allowed to do to messages of other members. */
export interface GroupRights {
  canDelete: boolean;
  canPin: boolean;
}

export interface Group {
  /** With `@g.us`. */
  readonly id: string;
  /** Whether the group addresses its members by phone number or by LID (second address). */
  readonly addressing: Addressing;
  readonly creator: Account;
  /** Epoch seconds, like all other times of the record. */
  readonly creation: number;
  readonly members: Map<Account, Rank>;
  subject: { text: string; by: Account; at: number };
  description: { id: string; text: string; by: Account; at: number } | undefined;
  /** Whether only admins can write. */
  announcement: boolean;
  /** Whether only admins can change subject, description, picture and messageLifetime. */
  locked: boolean;
  memberAddMode: MemberAddMode;
  /** Whether an admin must approve users who join by link. */
  approval: boolean;
  /** Number of seconds after which messages disappear; 0: never. */
  messageLifetime: number;
  inviteCode: string;
  /** Accounts that wait for approval, with the time of the request. */
  readonly requests: Map<Account, number>;
  /** Personal invitations to accounts whose privacy settings forbid adding them. */
  readonly invitations: Map<Account, { code: string; expiration: number; by: Account }>;
  picture: { id: string; bytes: Buffer } | undefined;
  /** Increases with every change of membership or ranks. */
  version: number;
}

/** A change that has already been made to `group`, which therefore contains the new values. */
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
    /** The messageLifetime was changed. */
    | 'ephemeral'
    | 'member_add_mode'
    | 'membership_approval_mode'
    /** The invite code was replaced. */
    | 'invite'
    | 'picture'
    | 'created_membership_requests'
    | 'revoked_membership_requests';
  /** The accounts that were added, removed, promoted or demoted, or whose join request was created or revoked. */
  accounts: readonly Account[];
  /** `invite` when the accounts joined by link, request or invitation; absent when a member added them. */
  reason?: 'invite';
}

/**
 * A request that WhatsApp rejects, with its code, such as 403 (not allowed), 404 (no such group), 406 (not acceptable),
 * 409 (conflict) or 410 (revoked or expired).
 */
export class GroupError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The result of a change for one account. */
export interface MemberResult {
  /** The JID from the request. */
  jid: string;
  /** Undefined when no account has that address. */
  account: Account | undefined;
  /** 200 or WhatsApp's error code. */
  status: number;
  /** With 403: an invitation that the person can accept instead. `expiration` is in epoch seconds. */
  invitation?: { code: string; expiration: number };
}

/** Validity of a personal invitation in seconds. */
const INVITATION_LIFETIME = 3 * 24 * 3600;

/** Returns the member's rank. Throws GroupError 403 when the account is not a member. */
function getRank(group: Group, account: Account): Rank {
  const rank = group.members.get(account);
  if (!rank) throw new GroupError(403, `${account.number} is not in this group`);
  return rank;
}

/** Throws GroupError 403 unless the account is a member of the group. */
export function assertMember(group: Group, account: Account): void {
  getRank(group, account);
}

/** Throws GroupError 403 unless the account is an admin of the group. */
export function assertAdmin(group: Group, account: Account): void {
  if (getRank(group, account) === 'member')
    throw new GroupError(403, `${account.number} is not an admin of this group`);
}

/**
 * Throws GroupError 403 unless the account is allowed to change the group's subject, description, picture and
 * messageLifetime.
 */
export function assertMayEdit(group: Group, account: Account): void {
  if (group.locked) assertAdmin(group, account);
  else assertMember(group, account);
}

/** What the account is allowed to do to messages of other members. */
export function groupRightsOf(group: Group, account: Account): GroupRights {
  const rank = group.members.get(account);
  const isAdmin = rank === 'admin' || rank === 'superadmin';
  return { canDelete: isAdmin, canPin: isAdmin || (rank === 'member' && !group.locked) };
}

/** Throws GroupError 403 unless the account is allowed to write in the group. */
export function assertMayWrite(group: Group, account: Account): void {
  if (group.announcement) assertAdmin(group, account);
  else assertMember(group, account);
}

/**
 * Adds the accounts that can be added, with the result 200. The other results are 401 (the account has blocked
 * `actor`), 403 (privacy settings, with an invitation), 404 (not on WhatsApp) and 409 (already a member).
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

/**
 * Removes, promotes or demotes members. Error results are 404 (not a member) and 406 (the superadmin, who cannot be
 * removed or demoted).
 */
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
