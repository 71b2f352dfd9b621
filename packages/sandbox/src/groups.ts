// All groups of the platform: members, ranks, settings, invitations. No stanzas and no keys: listeners turn changes
// into notifications.
import { randomBytes, randomInt } from 'node:crypto';
import type { AddressForm } from './delivery.ts';
import {
  addMembers,
  assertAdmin,
  assertMayEdit,
  changeMembers,
  type Group,
  type GroupChange,
  GroupError,
  type MemberAddMode,
  type MemberResult,
  rankOf,
} from './group.ts';
import type { Account, World } from './model.ts';

export interface GroupOptions {
  /** Default `lid`, as for every group that is new on the platform. */
  mode?: AddressForm;
  description?: string;
}

/** Longest subject and description. */
const SUBJECT_MAX = 100;
const DESCRIPTION_MAX = 2048;

export class Groups {
  /**
   * At most so many phones acknowledge the delivery of one message: each receipt of a large group is a stanza to its
   * author.
   */
  maxDeliveryReceipts = 32;
  /** How members of groups that clients create are addressed; the platform chooses, clients cannot. */
  defaultMode: AddressForm = 'lid';
  /** How often clients asked for the record of one group. */
  queryCount = 0;
  readonly #world: World;
  readonly #groups = new Map<string, Group>();
  readonly #byCode = new Map<string, Group | 'revoked'>();
  readonly #listeners = new Set<(changeMembers: GroupChange) => void>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Calls `listener` after every change, in the order in which things happened. */
  onChange(listener: (change: GroupChange) => void): void {
    this.#listeners.add(listener);
  }

  /** A group by its id, with or without `@g.us`; undefined when there is none. */
  get(id: string): Group | undefined {
    return this.#groups.get(id.endsWith('@g.us') ? id : `${id}@g.us`);
  }

  /** The group as one of its members sees it. Throws GroupError 404 when there is none, 403 for other accounts. */
  getAsMember(account: Account, id: string): Group {
    const group = this.get(id);
    if (!group) throw new GroupError(404, `there is no group ${id}`);
    rankOf(group, account);
    return group;
  }

  /** Groups of which the account is a member, oldest first. */
  listFor(account: Account): Group[] {
    return [...this.#groups.values()].filter(({ members }) => members.has(account));
  }

  /**
   * Creates a group of the creator and those of `jids` who can be added; the outcomes say which. Throws GroupError 406.
   */
  create(
    creator: Account,
    subject: string,
    jids: readonly string[],
    options: GroupOptions = {},
  ): [Group, MemberResult[]] {
    if (!subject || subject.length > SUBJECT_MAX)
      throw new GroupError(406, `a subject has 1 to ${SUBJECT_MAX} characters`);
    const { mode = 'lid', description } = options;
    const at = this.#world.now();
    const group: Group = {
      id: `120363${String(randomInt(1_000_000)).padStart(6, '0')}${String(this.#groups.size + 1).padStart(6, '0')}@g.us`,
      mode,
      creator,
      creation: at,
      members: new Map([[creator, 'superadmin']]),
      subject: { text: subject, by: creator, at },
      description: description ? { id: newId(), text: description, by: creator, at } : undefined,
      announcement: false,
      locked: false,
      memberAddMode: 'admin_add',
      approval: false,
      expiration: 0,
      inviteCode: '',
      requests: new Map(),
      invitations: new Map(),
      picture: undefined,
      version: 1,
    };
    this.#groups.set(group.id, group);
    this.#newCode(group);
    const outcomes = addMembers(this.#world, group, creator, jids).filter(({ account }) => account !== creator);
    this.#notify(group, creator, 'create', [...group.members.keys()]);
    return [group, outcomes];
  }

  /** Adds the accounts that can be added. Throws GroupError 403 when the actor may not add members. */
  add(group: Group, actor: Account, jids: readonly string[]): MemberResult[] {
    if (group.memberAddMode === 'admin_add' || group.approval) assertAdmin(group, actor);
    else rankOf(group, actor);
    const outcomes = addMembers(this.#world, group, actor, jids);
    this.#notifyResults(group, actor, 'add', outcomes);
    return outcomes;
  }

  /** Removes, promotes or demotes. Throws GroupError 403 when the actor is no admin. */
  change(group: Group, actor: Account, kind: 'remove' | 'promote' | 'demote', jids: readonly string[]): MemberResult[] {
    assertAdmin(group, actor);
    const outcomes = changeMembers(this.#world, group, kind, jids);
    this.#notifyResults(group, actor, kind, outcomes);
    return outcomes;
  }

  /** The member goes; a group that this leaves without an admin gets its longest-standing member as one. */
  leave(group: Group, account: Account): void {
    rankOf(group, account);
    group.members.delete(account);
    this.#notify(group, account, 'remove', [account]);
    const [eldest] = group.members.keys();
    if (!eldest || [...group.members.values()].some((rank) => rank !== 'member')) return;
    group.members.set(eldest, 'superadmin');
    this.#notify(group, eldest, 'promote', [eldest]);
  }

  setSubject(group: Group, actor: Account, text: string): void {
    assertMayEdit(group, actor);
    if (!text || text.length > SUBJECT_MAX) throw new GroupError(406, `a subject has 1 to ${SUBJECT_MAX} characters`);
    group.subject = { text, by: actor, at: this.#world.now() };
    this.#notify(group, actor, 'subject');
  }

  /**
   * `previous` is the id of the description that the actor has seen; an empty text removes it. Throws GroupError 409
   * for another.
   */
  setDescription(group: Group, actor: Account, text: string, id = newId(), previous = group.description?.id): void {
    assertMayEdit(group, actor);
    if (text.length > DESCRIPTION_MAX)
      throw new GroupError(406, `a description has at most ${DESCRIPTION_MAX} characters`);
    if (previous !== group.description?.id) throw new GroupError(409, 'the description was changed meanwhile');
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

  /** Seconds; 0 turns the timer off. */
  setExpiration(group: Group, actor: Account, seconds: number): void {
    assertMayEdit(group, actor);
    group.expiration = seconds;
    this.#notify(group, actor, 'ephemeral');
  }

  setPicture(group: Group, actor: Account, picture: Group['picture']): void {
    assertMayEdit(group, actor);
    group.picture = picture;
    this.#notify(group, actor, 'picture');
  }

  /** Makes a new invite code; the old one is worth nothing from then on. */
  revokeInvite(group: Group, actor: Account): string {
    assertAdmin(group, actor);
    this.#byCode.set(group.inviteCode, 'revoked');
    this.#newCode(group);
    this.#notify(group, actor, 'invite');
    return group.inviteCode;
  }

  /** The group that a code invites to. Throws GroupError 406 for a code that never was, 410 for a revoked one. */
  findByInvite(code: string): Group {
    const group = this.#byCode.get(code);
    if (!group) throw new GroupError(406, 'there is no such invite code');
    if (group === 'revoked' || group.members.size === 0) throw new GroupError(410, 'the invite code was revoked');
    return group;
  }

  /** Joins by code, at once or, where admins decide, later. Throws GroupError, also 409 for members. */
  join(account: Account, code: string): { group: Group; waits: boolean } {
    const group = this.findByInvite(code);
    if (group.members.has(account)) throw new GroupError(409, 'already a member');
    if (!group.approval) {
      this.#enter(group, account, account);
      return { group, waits: false };
    }
    if (!group.requests.has(account)) {
      group.requests.set(account, this.#world.now());
      this.#notify(group, account, 'created_membership_requests', [account]);
    }
    return { group, waits: true };
  }

  /** Uses a personal invitation that `by` made. Throws GroupError 406 for another code, 410 when it has expired. */
  acceptInvitation(group: Group, account: Account, code: string, by: Account): void {
    const invitation = group.invitations.get(account);
    if (!invitation || invitation.code !== code || invitation.by !== by)
      throw new GroupError(406, 'no such invitation');
    if (invitation.expiration < this.#world.now()) throw new GroupError(410, 'the invitation has expired');
    if (group.members.has(account)) throw new GroupError(409, 'already a member');
    this.#enter(group, account, account);
  }

  /** Takes personal invitations back. */
  withdrawInvitations(group: Group, actor: Account, jids: readonly string[]): void {
    assertAdmin(group, actor);
    for (const jid of jids) {
      const account = this.#world.byJid(jid);
      if (account) group.invitations.delete(account);
    }
  }

  /** Lets people in who wait, or turns them away. */
  decideRequests(group: Group, actor: Account, admits: boolean, jids: readonly string[]): MemberResult[] {
    assertAdmin(group, actor);
    return jids.map((jid) => {
      const account = this.#world.byJid(jid);
      if (!account || !group.requests.delete(account)) return { jid, account, status: 404 };
      if (admits) this.#enter(group, actor, account);
      else this.#notify(group, actor, 'revoked_membership_requests', [account]);
      return { jid, account, status: 200 };
    });
  }

  #enter(group: Group, actor: Account, account: Account): void {
    group.members.set(account, 'member');
    group.requests.delete(account);
    group.invitations.delete(account);
    this.#notify(group, actor, 'add', [account], 'invite');
  }

  #newCode(group: Group): void {
    // As long as the platform's, without characters that mean something in a URL.
    group.inviteCode = randomBytes(17).toString('base64url').slice(0, 22).replace(/[-_]/g, 'x');
    this.#byCode.set(group.inviteCode, group);
  }

  #notifyResults(group: Group, actor: Account, kind: GroupChange['kind'], outcomes: readonly MemberResult[]): void {
    const accounts = outcomes.flatMap(({ account, status }) => (account && status === 200 ? [account] : []));
    if (accounts.length > 0) this.#notify(group, actor, kind, accounts);
  }

  #notify(group: Group, actor: Account, kind: GroupChange['kind'], accounts: Account[] = [], reason?: 'invite'): void {
    if (kind === 'add' || kind === 'remove' || kind === 'promote' || kind === 'demote') group.version++;
    for (const listener of this.#listeners) listener({ group, actor, kind, accounts, reason });
  }
}

const newId = () => randomBytes(10).toString('hex').toUpperCase();
