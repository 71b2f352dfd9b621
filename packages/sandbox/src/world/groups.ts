// All groups of the simulated WhatsApp: members, ranks, settings, invitations. Listeners get every change; one of them
// notifies the members' clients.
import { randomBytes, randomInt } from 'node:crypto';
import type { Addressing } from './delivery.ts';
import {
  addMembers,
  assertAdmin,
  assertMayEdit,
  assertMember,
  changeMembers,
  type Group,
  type GroupChange,
  GroupError,
  type MemberAddMode,
  type MemberResult,
} from './group.ts';
import type { Account, World } from './model.ts';

/** The settings of a new group; the interface `Group` explains them. A setting without a stated default is off. */
export interface GroupOptions {
  /** Whether members have phone-number JIDs or LIDs (second addresses). Default `lid`, as in new WhatsApp groups. */
  addressing?: Addressing;
  description?: string;
  announcement?: boolean;
  locked?: boolean;
  /** Default `admin_add`. */
  memberAddMode?: MemberAddMode;
  approval?: boolean;
  messageLifetime?: number;
}

/** Maximum lengths of subject and description. */
const MAX_SUBJECT_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 2048;

export class Groups {
  /**
   * Maximum number of phones that send a delivery receipt for a group message. Without this limit, the author of a
   * message in a large group would get as many receipts as there are members.
   */
  maxDeliveryReceipts = 32;
  /** The addressing of the groups that clients create; clients cannot choose it. */
  defaultAddressing: Addressing = 'lid';
  /** How many times clients requested the record of a single group. */
  queryCount = 0;
  readonly #world: World;
  readonly #groups = new Map<string, Group>();
  /** Groups by invite code; `revoked` for a code that was replaced. */
  readonly #byCode = new Map<string, Group | 'revoked'>();
  readonly #listeners = new Set<(change: GroupChange) => void>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Calls `listener` after every change. */
  onChange(listener: (change: GroupChange) => void): void {
    this.#listeners.add(listener);
  }

  /** Returns the group with this id, with or without `@g.us`; undefined when there is none. */
  get(id: string): Group | undefined {
    return this.#groups.get(id.endsWith('@g.us') ? id : `${id}@g.us`);
  }

  /** Returns the group with this id. Throws GroupError 404 when there is none, 403 when the account is not a member. */
  getAsMember(account: Account, id: string): Group {
    const group = this.get(id);
    if (!group) throw new GroupError(404, `there is no group ${id}`);
    assertMember(group, account);
    return group;
  }

  /** Returns the groups of which the account is a member, oldest first. */
  listFor(account: Account): Group[] {
    return [...this.#groups.values()].filter(({ members }) => members.has(account));
  }

  /**
   * Creates a group of the creator and the accounts in `jids` that can be added. Returns the group and the result for
   * each JID except that of the creator. Throws GroupError 406 for an invalid subject.
   */
  create(
    creator: Account,
    subject: string,
    jids: readonly string[],
    options: GroupOptions = {},
  ): [Group, MemberResult[]] {
    if (!subject || subject.length > MAX_SUBJECT_LENGTH)
      throw new GroupError(406, `a subject has 1 to ${MAX_SUBJECT_LENGTH} characters`);
    const { addressing = 'lid', description, announcement = false, locked = false } = options;
    const { memberAddMode = 'admin_add', approval = false, messageLifetime = 0 } = options;
    const at = this.#world.now();
    const group: Group = {
      id: createGroupId(this.#groups.size + 1),
      addressing,
      creator,
      creation: at,
      members: new Map([[creator, 'superadmin']]),
      subject: { text: subject, by: creator, at },
      description: description ? { id: newId(), text: description, by: creator, at } : undefined,
      announcement,
      locked,
      memberAddMode,
      approval,
      messageLifetime,
      inviteCode: '',
      requests: new Map(),
      invitations: new Map(),
      picture: undefined,
      version: 1,
    };
    this.#groups.set(group.id, group);
    this.#createInviteCode(group);
    const results = addMembers(this.#world, group, creator, jids).filter(({ account }) => account !== creator);
    this.#notify(group, creator, 'create', [...group.members.keys()]);
    return [group, results];
  }

  /** Adds the accounts that can be added. Throws GroupError 403 when the actor is not allowed to add members. */
  add(group: Group, actor: Account, jids: readonly string[]): MemberResult[] {
    if (group.memberAddMode === 'admin_add' || group.approval) assertAdmin(group, actor);
    else assertMember(group, actor);
    const results = addMembers(this.#world, group, actor, jids);
    this.#notifyResults(group, actor, 'add', results);
    return results;
  }

  /** Removes, promotes or demotes members. Throws GroupError 403 when the actor is no admin. */
  change(group: Group, actor: Account, kind: 'remove' | 'promote' | 'demote', jids: readonly string[]): MemberResult[] {
    assertAdmin(group, actor);
    const results = changeMembers(this.#world, group, kind, jids);
    this.#notifyResults(group, actor, kind, results);
    return results;
  }

  /**
   * Removes a member at its own request. When no admin remains, the longest-standing member becomes superadmin. Throws
   * GroupError 403 when the account is not a member.
   */
  leave(group: Group, account: Account): void {
    assertMember(group, account);
    group.members.delete(account);
    this.#notify(group, account, 'remove', [account]);
    const [oldestMember] = group.members.keys();
    if (!oldestMember || [...group.members.values()].some((rank) => rank !== 'member')) return;
    group.members.set(oldestMember, 'superadmin');
    this.#notify(group, oldestMember, 'promote', [oldestMember]);
  }

  /** Throws GroupError 403 unless the actor is allowed to edit the group, 406 for an invalid subject. */
  setSubject(group: Group, actor: Account, text: string): void {
    assertMayEdit(group, actor);
    if (!text || text.length > MAX_SUBJECT_LENGTH)
      throw new GroupError(406, `a subject has 1 to ${MAX_SUBJECT_LENGTH} characters`);
    group.subject = { text, by: actor, at: this.#world.now() };
    this.#notify(group, actor, 'subject');
  }

  /**
   * Sets the description; an empty text removes it. `seenId` is the id of the description that the actor has seen, null
   * when the group had none; default: the current one. Throws GroupError 403 unless the actor is allowed to edit the
   * group, 406 for a text that is too long, 409 when `seenId` is not the id of the current description.
   */
  setDescription(
    group: Group,
    actor: Account,
    text: string,
    { id = newId(), seenId = group.description?.id ?? null }: { id?: string | undefined; seenId?: string | null } = {},
  ): void {
    assertMayEdit(group, actor);
    if (text.length > MAX_DESCRIPTION_LENGTH)
      throw new GroupError(406, `a description has at most ${MAX_DESCRIPTION_LENGTH} characters`);
    if (seenId !== (group.description?.id ?? null)) throw new GroupError(409, 'the description was changed meanwhile');
    group.description = text ? { id, text, by: actor, at: this.#world.now() } : undefined;
    this.#notify(group, actor, 'description');
  }

  setAnnouncement(group: Group, actor: Account, on: boolean): void {
    assertAdmin(group, actor);
    group.announcement = on;
    this.#notify(group, actor, 'announcement');
  }

  setLocked(group: Group, actor: Account, on: boolean): void {
    assertAdmin(group, actor);
    group.locked = on;
    this.#notify(group, actor, 'locked');
  }

  setMemberAddMode(group: Group, actor: Account, mode: MemberAddMode): void {
    assertAdmin(group, actor);
    group.memberAddMode = mode;
    this.#notify(group, actor, 'member_add_mode');
  }

  setApproval(group: Group, actor: Account, on: boolean): void {
    assertAdmin(group, actor);
    group.approval = on;
    this.#notify(group, actor, 'membership_approval_mode');
  }

  /** Sets the number of seconds after which messages disappear; 0: never. */
  setMessageLifetime(group: Group, actor: Account, seconds: number): void {
    assertMayEdit(group, actor);
    group.messageLifetime = seconds;
    this.#notify(group, actor, 'ephemeral');
  }

  setPicture(group: Group, actor: Account, picture: Group['picture']): void {
    assertMayEdit(group, actor);
    group.picture = picture;
    this.#notify(group, actor, 'picture');
  }

  /** Replaces the invite code and returns the new one; the old one becomes invalid. */
  revokeInvite(group: Group, actor: Account): string {
    assertAdmin(group, actor);
    this.#byCode.set(group.inviteCode, 'revoked');
    this.#createInviteCode(group);
    this.#notify(group, actor, 'invite');
    return group.inviteCode;
  }

  /**
   * Returns the group of an invite code. Throws GroupError 406 for an unknown code, 410 for a revoked code and for a
   * group without members.
   */
  findByInvite(code: string): Group {
    const group = this.#byCode.get(code);
    if (!group) throw new GroupError(406, 'there is no such invite code');
    if (group === 'revoked' || group.members.size === 0) throw new GroupError(410, 'the invite code was revoked');
    return group;
  }

  /**
   * Joins by invite code. When an admin must approve, the account is not a member yet and `waits` is true. Throws
   * GroupError like findByInvite() and 409 for members.
   */
  join(account: Account, code: string): { group: Group; waits: boolean } {
    const group = this.findByInvite(code);
    if (group.members.has(account)) throw new GroupError(409, 'already a member');
    if (!group.approval) {
      this.#addMember(group, account, account);
      return { group, waits: false };
    }
    if (!group.requests.has(account)) {
      group.requests.set(account, this.#world.now());
      this.#notify(group, account, 'created_membership_requests', [account]);
    }
    return { group, waits: true };
  }

  /**
   * Accepts a personal invitation of the member `by`. Throws GroupError 406 for an invalid code or inviter, 410 when
   * the invitation has expired, 409 for members.
   */
  acceptInvitation(group: Group, account: Account, code: string, by: Account): void {
    const invitation = group.invitations.get(account);
    if (!invitation || invitation.code !== code || invitation.by !== by)
      throw new GroupError(406, 'no such invitation');
    if (invitation.expiration < this.#world.now()) throw new GroupError(410, 'the invitation has expired');
    if (group.members.has(account)) throw new GroupError(409, 'already a member');
    this.#addMember(group, account, account);
  }

  /** Withdraws personal invitations. Throws GroupError 403 when the actor is no admin. */
  withdrawInvitations(group: Group, actor: Account, jids: readonly string[]): void {
    assertAdmin(group, actor);
    for (const jid of jids) {
      const account = this.#world.byJid(jid);
      if (account) group.invitations.delete(account);
    }
  }

  /**
   * Approves or rejects join requests. The result is 404 for accounts that did not request to join. Throws GroupError
   * 403 when the actor is no admin.
   */
  decideRequests(
    group: Group,
    actor: Account,
    decision: 'approve' | 'reject',
    jids: readonly string[],
  ): MemberResult[] {
    assertAdmin(group, actor);
    return jids.map((jid) => {
      const account = this.#world.byJid(jid);
      if (!account || !group.requests.delete(account)) return { jid, account, status: 404 };
      if (decision === 'approve') this.#addMember(group, actor, account);
      else this.#notify(group, actor, 'revoked_membership_requests', [account]);
      return { jid, account, status: 200 };
    });
  }

  /** Adds an account that joined by link, approved request or invitation. Listeners get the reason `invite` for all. */
  #addMember(group: Group, actor: Account, account: Account): void {
    group.members.set(account, 'member');
    group.requests.delete(account);
    group.invitations.delete(account);
    this.#notify(group, actor, 'add', [account], 'invite');
  }

  #createInviteCode(group: Group): void {
    // 22 alphanumeric characters, like real invite codes.
    group.inviteCode = randomBytes(17).toString('base64url').slice(0, 22).replace(/[-_]/g, 'x');
    this.#byCode.set(group.inviteCode, group);
  }

  /** Notifies the listeners of the change of the accounts whose status is 200. Does nothing when there are none. */
  #notifyResults(group: Group, actor: Account, kind: GroupChange['kind'], results: readonly MemberResult[]): void {
    const accounts = results.flatMap(({ account, status }) => (account && status === 200 ? [account] : []));
    if (accounts.length > 0) this.#notify(group, actor, kind, accounts);
  }

  #notify(group: Group, actor: Account, kind: GroupChange['kind'], accounts: Account[] = [], reason?: 'invite'): void {
    // The version counts changes of members and ranks only.
    if (kind === 'add' || kind === 'remove' || kind === 'promote' || kind === 'demote') group.version++;
    for (const listener of this.#listeners) listener({ group, actor, kind, accounts, reason });
  }
}

/** An id of 18 digits that begins with `120363`, like real ids. `sequence` makes it unique. */
function createGroupId(sequence: number): string {
  return `120363${String(randomInt(1_000_000)).padStart(6, '0')}${String(sequence).padStart(6, '0')}@g.us`;
}

/** An id for a description. */
const newId = () => randomBytes(10).toString('hex').toUpperCase();
