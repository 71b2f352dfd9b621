// Answers requests (iq) of the xmlns `w:g2`, with which clients query and change groups. Members get a notification of
// each change.
import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
} from '@whiskeysockets/baileys';
import { element, textOf } from '../lib/binary-node.ts';
import { addressingOf } from '../world/delivery.ts';
import { type Group, type GroupChange, GroupError, type MemberAddMode, type MemberResult } from '../world/group.ts';
import {
  addressAttributes,
  changeNode,
  groupNode,
  invitationNode,
  memberNode,
  memberResultNode,
} from '../world/group-node.ts';
import type { GroupOptions, Groups } from '../world/groups.ts';
import type { Account, World } from '../world/model.ts';
import { queueKey } from '../world/world.ts';
import { type Answer, type IqHandler, requestOf, StanzaError } from './router.ts';

/** A request of a member (`actor`) to a group. */
interface Request {
  groups: Groups;
  actor: Account;
  group: Group;
  /** The first child element of the iq. */
  node: BinaryNode;
}

/** The content of the result; undefined leaves it empty. */
type ResultContent = BinaryNode[] | undefined;

export function createGroupHandler(groups: Groups, world: World): IqHandler {
  return ({ account: actor }, iq) => {
    const node = requestOf(iq);
    const { to = '', type } = iq.attrs;
    if (!node) return undefined;
    try {
      assertNumbersMatch(world, node);
      if (to === '@g.us') return serveGroupServer(groups, actor, type === 'set', node);
      if (type === 'set' && node.tag === 'accept') return accept(groups, world, actor, to, node);
      const group = groups.getAsMember(actor, to);
      const handlers = type === 'set' ? CHANGES : QUERIES;
      const handle = Object.hasOwn(handlers, node.tag) ? handlers[node.tag] : undefined;
      return handle && { content: handle({ groups, actor, group, node }) ?? [] };
    } catch (error) {
      throw error instanceof GroupError ? new StanzaError(error.code) : error;
    }
  };
}

/** Answers requests that create, list, join or leave groups. Clients send these to `@g.us` instead of to a group. */
function serveGroupServer(groups: Groups, actor: Account, isSet: boolean, node: BinaryNode): Answer | undefined {
  const code = node.attrs.code ?? '';
  switch (`${isSet ? 'set' : 'get'} ${node.tag}`) {
    case 'get participating': {
      const nodes = groups.listFor(actor).map((group) => groupNode(group));
      return { content: [element('groups', {}, nodes)] };
    }
    case 'set create':
      return create(groups, actor, node);
    case 'set leave':
      return { content: [leave(groups, actor, node)] };
    case 'get invite':
      return { content: [invitationNode(groups.findByInvite(code))] };
    case 'set invite': {
      const { group, waits } = groups.join(actor, code);
      return { content: [element(waits ? 'membership_approval_request' : 'group', { jid: group.id })] };
    }
    default:
      return undefined;
  }
}

/** Creates a group. Undefined when the request contains an element that the sandbox does not know. */
function create(groups: Groups, actor: Account, node: BinaryNode): Answer | undefined {
  const options = optionsOf(node);
  if (!options) return undefined;
  options.addressing = groups.defaultAddressing;
  const [group, results] = groups.create(actor, node.attrs.subject ?? '', jidsOf(node), options);
  return { content: [groupNode(group, results)] };
}

/**
 * Reads the settings of a new group. Undefined when there is an element that the sandbox does not know, for example one
 * of a community. Throws GroupError 400 for an invalid value.
 */
function optionsOf(node: BinaryNode): GroupOptions | undefined {
  const options: GroupOptions = {};
  for (const child of getAllBinaryNodeChildren(node)) {
    switch (child.tag) {
      case 'participant':
        break;
      case 'description':
        options.description = textOf(getBinaryNodeChild(child, 'body'));
        break;
      case 'announcement':
        options.announcement = true;
        break;
      case 'locked':
        options.locked = true;
        break;
      case 'ephemeral':
        options.messageLifetime = child.attrs.expiration === '0' ? 0 : lifetimeOf(child);
        break;
      case 'member_add_mode':
        options.memberAddMode = memberAddModeOf(child);
        break;
      case 'membership_approval_mode':
        options.approval = approvalOf(child);
        break;
      case 'member_link_mode':
        // In the sandbox, only admins can read the invite code.
        if (textOf(child) !== 'admin_link') return undefined;
        break;
      default:
        return undefined;
    }
  }
  return options;
}

/** Throws GroupError 400 unless the element contains a positive number of seconds. */
function lifetimeOf({ attrs }: BinaryNode): number {
  const seconds = Number(attrs.expiration);
  if (!Number.isInteger(seconds) || seconds <= 0) throw new GroupError(400, 'expiration must be seconds');
  return seconds;
}

/** Throws GroupError 400 for an unknown mode. */
function memberAddModeOf(node: BinaryNode): MemberAddMode {
  const mode = textOf(node);
  if (mode !== 'admin_add' && mode !== 'all_member_add') throw new GroupError(400, 'no such mode');
  return mode;
}

/** Whether an admin must approve new members. Throws GroupError 400 for an unknown state. */
function approvalOf(node: BinaryNode): boolean {
  const state = getBinaryNodeChild(node, 'group_join')?.attrs.state;
  if (state !== 'on' && state !== 'off') throw new GroupError(400, 'no such state');
  return state === 'on';
}

/** Leaves all groups in the request and returns a result for each. */
function leave(groups: Groups, actor: Account, node: BinaryNode): BinaryNode {
  const results = getBinaryNodeChildren(node, 'group').map(({ attrs: { id = '' } }) => {
    const group = groups.get(id);
    if (!group?.members.has(actor)) return element('group', { id, error: '404' });
    groups.leave(group, actor);
    return element('group', { id });
  });
  return element('leave', {}, results);
}

/** Handlers of queries, by tag of the request. */
const QUERIES: Readonly<Record<string, (request: Request) => ResultContent>> = {
  query: ({ groups, group }) => {
    groups.queryCount++;
    return [groupNode(group)];
  },
  invite: ({ group, actor }) => {
    // WhatsApp rejects this query of a non-admin with 401, and other requests of non-admins with 403.
    if (group.members.get(actor) === 'member') throw new GroupError(401, 'only admins can read the invite code');
    return [element('invite', { code: group.inviteCode })];
  },
  membership_approval_requests: ({ group, actor }) => {
    if (group.members.get(actor) === 'member') throw new GroupError(403, 'only admins can list join requests');
    const waiting = Array.from(group.requests, ([account, at]) =>
      element('membership_approval_request', {
        ...memberNode(group, account).attrs,
        request_method: 'invite_link',
        request_time: String(at),
      }),
    );
    return [element('membership_approval_requests', {}, waiting)];
  },
};

/** Creates the handler of a change of members or ranks. */
const createMembershipHandler =
  (kind: 'remove' | 'promote' | 'demote') =>
  ({ groups, group, actor, node }: Request): ResultContent =>
    resultsNode(kind, group, groups.change(group, actor, kind, jidsOf(node)));

/** Handlers of changes, by tag of the request. */
const CHANGES: Readonly<Record<string, (request: Request) => ResultContent>> = {
  add: ({ groups, group, actor, node }) => resultsNode('add', group, groups.add(group, actor, jidsOf(node))),
  remove: createMembershipHandler('remove'),
  promote: createMembershipHandler('promote'),
  demote: createMembershipHandler('demote'),
  subject: ({ groups, group, actor, node }) => void groups.setSubject(group, actor, textOf(node)),
  description: ({ groups, group, actor, node }) => {
    // `prev` is the id of the description that the client has seen.
    const { id, prev, delete: isDeleted } = node.attrs;
    const text = isDeleted === 'true' ? '' : textOf(getBinaryNodeChild(node, 'body'));
    groups.setDescription(group, actor, text, { id, seenId: prev ?? null });
    return undefined;
  },
  announcement: ({ groups, group, actor }) => void groups.setAnnouncement(group, actor, true),
  not_announcement: ({ groups, group, actor }) => void groups.setAnnouncement(group, actor, false),
  locked: ({ groups, group, actor }) => void groups.setLocked(group, actor, true),
  unlocked: ({ groups, group, actor }) => void groups.setLocked(group, actor, false),
  ephemeral: ({ groups, group, actor, node }) => void groups.setMessageLifetime(group, actor, lifetimeOf(node)),
  not_ephemeral: ({ groups, group, actor }) => void groups.setMessageLifetime(group, actor, 0),
  member_add_mode: ({ groups, group, actor, node }) =>
    void groups.setMemberAddMode(group, actor, memberAddModeOf(node)),
  membership_approval_mode: ({ groups, group, actor, node }) => void groups.setApproval(group, actor, approvalOf(node)),
  membership_requests_action: ({ groups, group, actor, node }) => {
    const answers = (['approve', 'reject'] as const).flatMap((tag) => {
      const action = getBinaryNodeChild(node, tag);
      if (!action) return [];
      return resultsNode(tag, group, groups.decideRequests(group, actor, tag, jidsOf(action)));
    });
    return [element('membership_requests_action', {}, answers)];
  },
  // Replaces the invite code.
  invite: ({ groups, group, actor }) => [element('invite', { code: groups.revokeInvite(group, actor) })],
  // Concerns personal invitations, not the invite code.
  revoke: ({ groups, group, actor, node }) => {
    groups.withdrawInvitations(group, actor, jidsOf(node));
    return undefined;
  },
};

/** Accepts a personal invitation: the only request to a group that is accepted from an account outside the group. */
function accept(groups: Groups, world: World, actor: Account, to: string, { attrs }: BinaryNode): Answer {
  const group = groups.get(to);
  const inviter = world.byJid(attrs.admin ?? '');
  if (!group || !inviter) throw new GroupError(404, 'no such group or person');
  groups.acceptInvitation(group, actor, attrs.code ?? '', inviter);
  return {};
}

/**
 * Throws GroupError 400 when a participant's `phone_number` is not the number of that participant. Clients send
 * `phone_number` when they name a person by LID (the second address of an account).
 */
function assertNumbersMatch(world: World, node: BinaryNode): void {
  for (const { attrs } of getBinaryNodeChildren(node, 'participant')) {
    const { jid = '', phone_number: number } = attrs;
    if (number === undefined) continue;
    const isMatch =
      addressingOf(jid) === 'lid' && addressingOf(number) === 'pn' && world.byJid(number) === world.byJid(jid);
    if (!isMatch) throw new GroupError(400, 'phone_number is not the number of the participant');
  }
}

const jidsOf = (node: BinaryNode): string[] =>
  getBinaryNodeChildren(node, 'participant').map(({ attrs }) => attrs.jid ?? '');

function resultsNode(tag: string, group: Group, results: readonly MemberResult[]): BinaryNode[] {
  const nodes = results.map((result) => memberResultNode(group, result));
  return [element(tag, {}, nodes)];
}

/**
 * The accounts to notify: for join requests, the admins and the accounts concerned; for other changes, all members
 * including the actor, and removed accounts.
 */
function pickNotifiedAccounts({ group, kind, accounts }: GroupChange): Iterable<Account> {
  if (kind === 'created_membership_requests' || kind === 'revoked_membership_requests') {
    const admins = [...group.members].filter(([, rank]) => rank !== 'member').map(([account]) => account);
    return new Set([...admins, ...accounts]);
  }
  return new Set([...group.members.keys(), ...(kind === 'remove' ? accounts : [])]);
}

/** Makes every later group change queue notifications for the companions (linked devices) of the accounts concerned. */
export function announceGroupChanges(groups: Groups, world: World): void {
  groups.onChange((change) => {
    const { group, actor, kind } = change;
    for (const account of pickNotifiedAccounts(change)) {
      if (account.companions.size === 0) continue;
      const child = changeNode(change, account);
      for (const companion of account.companions.values()) {
        const commonAttrs = { id: world.nextId(), from: group.id, t: String(world.now()) };
        const attrs =
          kind === 'picture'
            ? { ...commonAttrs, type: 'picture', author: addressAttributes(group, 'author', actor).author }
            : {
                ...commonAttrs,
                type: 'w:gp2',
                ...addressAttributes(group, 'participant', actor),
                addressing_mode: group.addressing,
                notify: actor.name,
              };
        world.deliver(companion, queueKey('notification', attrs), element('notification', attrs, [child]));
      }
    }
  });
}
