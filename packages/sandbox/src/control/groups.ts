// Group routes of the control API, the HTTP API that controls the sandbox. Each request acts as the account whose phone
// number is in the path.
import type { FastifyInstance } from 'fastify';
import { createPicture } from '../stanzas/profile.ts';
import type { Group, MemberResult } from '../world/group.ts';
import type { Groups } from '../world/groups.ts';
import type { Account } from '../world/model.ts';
import type { FindPhone, PhoneRoute } from './account.ts';
import {
  type Body,
  ControlError,
  oneOf,
  readBoolean,
  readNumber,
  readString,
  requireString,
  toBytes,
  toObject,
  toPhoneNumber,
  toPhoneNumbers,
} from './body.ts';

const MEMBER_ADD_MODES = ['admin_add', 'all_member_add'] as const;

interface GroupRoute {
  Params: { number: string; id: string };
}

/** A group as JSON; times are epoch seconds. */
const groupView = (group: Group) => ({
  id: group.id,
  subject: group.subject.text,
  /** Whether members have phone-number JIDs (`pn`) or LIDs (`lid`, WhatsApp's second user address). */
  mode: group.addressing,
  owner: group.creator.number,
  creation: group.creation,
  description: group.description?.text ?? null,
  announcement: group.announcement,
  locked: group.locked,
  /** Number of seconds after which messages disappear; 0: never. */
  ephemeral: group.messageLifetime,
  memberAddMode: group.memberAddMode,
  approval: group.approval,
  inviteCode: group.inviteCode,
  picture: group.picture?.id ?? null,
  /** `rank`: member, admin or superadmin. */
  participants: Array.from(group.members, ([{ number }, rank]) => ({ number, rank })),
  /** Accounts that wait for an admin to let them join. */
  requests: Array.from(group.requests.keys(), ({ number }) => number),
});

/** A group in the list of a phone's groups. */
export const groupSummary = (group: Group, account: Account) => ({
  id: group.id,
  subject: group.subject.text,
  mode: group.addressing,
  rank: group.members.get(account),
  size: group.members.size,
});

export function addGroups(app: FastifyInstance, groups: Groups, phoneOf: FindPhone): void {
  const findGroup = ({ number, id }: GroupRoute['Params']) => {
    const actor = phoneOf({ number }).account;
    return { actor, group: groups.getAsMember(actor, id) };
  };

  app.get<PhoneRoute>('/phones/:number/groups', async ({ params }) =>
    groups.listFor(phoneOf(params).account).map(groupView),
  );

  app.post<PhoneRoute>('/phones/:number/groups', async ({ params, body: json }, reply) => {
    const body = toObject(json);
    const addressing = body.mode === undefined ? undefined : oneOf(body.mode, 'mode', ['lid', 'pn'] as const);
    const description = readString(body, 'description');
    const subject = requireString(body, 'subject');
    const { account } = phoneOf(params);
    const [group, results] = groups.create(account, subject, jidsIn(body), { addressing, description });
    return reply.code(201).send({ ...groupView(group), outcomes: results.map(resultView) });
  });

  app.get<GroupRoute>('/phones/:number/groups/:id', async ({ params }) => groupView(findGroup(params).group));

  app.post<PhoneRoute>('/phones/:number/groups/join', async ({ params, body }) => {
    // `waits`: an admin must approve before the account becomes a member.
    const { group, waits } = groups.join(phoneOf(params).account, requireString(toObject(body), 'code'));
    return { id: group.id, waits };
  });

  app.post<GroupRoute & { Params: { action: string } }>(
    '/phones/:number/groups/:id/:action',
    async ({ params, body: json }) => {
      const action = Object.hasOwn(ACTIONS, params.action) ? ACTIONS[params.action] : undefined;
      if (!action)
        throw new ControlError(
          404,
          `there is no group action ${params.action}; the actions are ${Object.keys(ACTIONS).join(', ')}`,
        );
      const { actor, group } = findGroup(params);
      return action(groups, group, actor, toObject(json)) ?? groupView(group);
    },
  );
}

type GroupAction = (groups: Groups, group: Group, actor: Account, body: Body) => object | undefined;

const memberAction =
  (kind: 'remove' | 'promote' | 'demote'): GroupAction =>
  (groups, group, actor, body) => ({
    participants: groups.change(group, actor, kind, jidsIn(body)).map(resultView),
  });

/**
 * Actions of members, by the last segment of the path. The response is the object that the action returns, or the group
 * when the action returns undefined.
 */
const ACTIONS: Readonly<Record<string, GroupAction>> = {
  add: (groups, group, actor, body) => ({
    participants: groups.add(group, actor, jidsIn(body)).map(resultView),
  }),
  remove: memberAction('remove'),
  promote: memberAction('promote'),
  demote: memberAction('demote'),
  subject: (groups, group, actor, body) => void groups.setSubject(group, actor, requireString(body, 'subject')),
  description: (groups, group, actor, body) =>
    void groups.setDescription(group, actor, readString(body, 'description') ?? ''),
  settings: (groups, group, actor, body) => {
    const announcement = readBoolean(body, 'announcement');
    const locked = readBoolean(body, 'locked');
    const approval = readBoolean(body, 'approval');
    const ephemeral = readNumber(body, 'ephemeral');
    const memberAddMode =
      body.memberAddMode === undefined ? undefined : oneOf(body.memberAddMode, 'memberAddMode', MEMBER_ADD_MODES);
    if (ephemeral !== undefined && (!Number.isInteger(ephemeral) || ephemeral < 0))
      throw new ControlError(400, 'ephemeral must be a number of seconds, or 0');
    if (announcement !== undefined) groups.setAnnouncement(group, actor, announcement);
    if (locked !== undefined) groups.setLocked(group, actor, locked);
    if (approval !== undefined) groups.setApproval(group, actor, approval);
    if (memberAddMode !== undefined) groups.setMemberAddMode(group, actor, memberAddMode);
    // `ephemeral` comes last, because it is the only setting that a member without admin rank may change. When the
    // request of such a member contains another setting too, it fails before anything has changed.
    if (ephemeral !== undefined) groups.setMessageLifetime(group, actor, ephemeral);
    return undefined;
  },
  picture: (groups, group, actor, body) => {
    const picture = readString(body, 'picture') ? createPicture(toBytes(body, 'picture')) : undefined;
    groups.setPicture(group, actor, picture);
    return undefined;
  },
  /** Returns the invite code. With `{ revoke: true }`, a new code replaces the current one first. */
  invite: (groups, group, actor, body) => {
    const code = readBoolean(body, 'revoke') ? groups.revokeInvite(group, actor) : group.inviteCode;
    return { code, url: `https://chat.whatsapp.com/${code}` };
  },
  requests: (groups, group, actor, body) => {
    const approved = groups.decideRequests(group, actor, 'approve', jidsIn(body, 'approve'));
    const rejected = groups.decideRequests(group, actor, 'reject', jidsIn(body, 'reject'));
    return { participants: [...approved, ...rejected].map(resultView) };
  },
  leave: (groups, group, actor) => {
    groups.leave(group, actor);
    return { left: group.id };
  },
};

const jidsIn = (body: Body, field = 'participants'): string[] =>
  toPhoneNumbers(body[field], field).map((number) => `${number}@s.whatsapp.net`);

/** `status`: 200 or WhatsApp's error code. */
const resultView = ({ jid, status }: MemberResult) => ({ number: toPhoneNumber(jid, 'participant'), status });
