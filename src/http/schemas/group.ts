// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, GroupRecord, ParticipantResult, Recipient, UpdateResult } from './common.ts';

/** A group name; typed object in the interface, where a plain string is meant. Both are accepted. */
export const GroupSubject = Type.Union([
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Object({ subject: Type.String({ minLength: 1, maxLength: 100 }) }),
]);
export type GroupSubject = Static<typeof GroupSubject>;

/** A group description; a plain string or an object that holds it. */
export const GroupDescription = Type.Union([
  Type.String({ maxLength: 2048 }),
  Type.Object({ description: Type.String({ maxLength: 2048 }) }),
]);
export type GroupDescription = Static<typeof GroupDescription>;

/** A picture: address, base64 or data URL, or an object that holds it. */
export const GroupPicture = Type.Union([
  Type.String({ minLength: 1, maxLength: 22500000 }),
  Type.Object({ image: Type.String({ minLength: 1, maxLength: 22500000 }) }),
]);
export type GroupPicture = Static<typeof GroupPicture>;

/** Users as phone numbers in E.164 digits without `+`, JIDs, LIDs or user names. */
export const Participants = Type.Array(Recipient, { minItems: 1, maxItems: 1024 });
export type Participants = Static<typeof Participants>;

/** A new group. */
export const CreateGroupBody = Type.Object({
  subject: GroupSubject,
  description: Type.Optional(Type.String({ maxLength: 2048 })),
  participants: Participants,
  promoteParticipants: Type.Optional(Type.Boolean()),
  profilePicture: Type.Optional(Type.String({ minLength: 1, maxLength: 22500000 })),
});
export type CreateGroupBody = Static<typeof CreateGroupBody>;

/** The participants, and what to do with them. */
export const UpdateParticipantBody = Type.Object({
  action: Type.Unsafe<'add' | 'remove' | 'promote' | 'demote'>({ type: 'string', enum: ['add', 'remove', 'promote', 'demote'] }),
  participants: Participants,
});
export type UpdateParticipantBody = Static<typeof UpdateParticipantBody>;

/** The result for each participant. */
export const ParticipantsResult = Type.Object({ updateParticipants: Type.Array(ParticipantResult) });
export type ParticipantsResult = Static<typeof ParticipantsResult>;

/** The setting to apply. */
export const UpdateSettingBody = Type.Object({
  action: Type.Unsafe<'announcement' | 'not_announcement' | 'locked' | 'unlocked'>({ type: 'string', enum: ['announcement', 'not_announcement', 'locked', 'unlocked'] }),
});
export type UpdateSettingBody = Static<typeof UpdateSettingBody>;

/** Nothing to report beyond success. */
export const EmptyResult = Type.Object({});
export type EmptyResult = Static<typeof EmptyResult>;

/** The time after which messages of the group disappear. */
export const ToggleEphemeralBody = Type.Object({
  expiration: Type.Unsafe<0 | 86400 | 604800 | 7776000>({ type: 'integer', enum: [0, 86400, 604800, 7776000] }),
});
export type ToggleEphemeralBody = Static<typeof ToggleEphemeralBody>;

/** Done. */
export const SuccessResult = Type.Object({ success: Type.Boolean() });
export type SuccessResult = Static<typeof SuccessResult>;

/** The new description. */
export const GroupDescriptionBody = Type.Object({ description: GroupDescription });
export type GroupDescriptionBody = Static<typeof GroupDescriptionBody>;

/** The new picture. */
export const GroupPictureBody = Type.Object({ image: GroupPicture });
export type GroupPictureBody = Static<typeof GroupPictureBody>;

/** The new name. */
export const GroupSubjectBody = Type.Object({ subject: GroupSubject });
export type GroupSubjectBody = Static<typeof GroupSubjectBody>;

/** The invite link of a group. */
export const InviteResult = Type.Object({ inviteUrl: Type.String(), inviteCode: Type.String() });
export type InviteResult = Static<typeof InviteResult>;

/** The group that was joined. */
export const AcceptInviteResult = Type.Object({ accepted: Type.Boolean(), groupJid: Type.String() });
export type AcceptInviteResult = Static<typeof AcceptInviteResult>;

/** Who is in a group. */
export const GroupMembers = Type.Object({
  participants: Type.Array(Type.Object({
    id: Type.String(),
    admin: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
    lid: Type.Optional(Type.String()),
    name: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    imgUrl: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  })),
});
export type GroupMembers = Static<typeof GroupMembers>;

/** The recipients of the invite link, and the text above it. */
export const SendInviteBody = Type.Object({
  description: Type.Optional(Type.String({ maxLength: 4096 })),
  numbers: Type.Array(Recipient, { minItems: 1, maxItems: 100 }),
});
export type SendInviteBody = Static<typeof SendInviteBody>;

/** Recipients of the invite link, and recipients who could not be reached. */
export const SentInvite = Type.Object({
  send: Type.Boolean(),
  inviteUrl: Type.String(),
  sent: Type.Array(Type.Object({ number: Type.String(), id: Type.String() })),
  failed: Type.Array(Type.Object({ number: Type.String(), code: Type.String(), message: Type.String() })),
});
export type SentInvite = Static<typeof SentInvite>;

/** The invite link that replaces the old one. */
export const RevokedInvite = Type.Object({ revoked: Type.Boolean(), inviteCode: Type.String(), inviteUrl: Type.String() });
export type RevokedInvite = Static<typeof RevokedInvite>;

/** The group that was left. */
export const LeftGroup = Type.Object({ groupJid: Type.String(), leave: Type.Boolean() });
export type LeftGroup = Static<typeof LeftGroup>;

/** Users who wait for the approval of an admin. */
export const JoinRequests = Type.Object({
  requests: Type.Array(Type.Object({
    jid: Type.String(),
    lid: Type.Optional(Type.String()),
    requestedAt: Type.Integer(),
    method: Type.Optional(Type.String()),
  })),
});
export type JoinRequests = Static<typeof JoinRequests>;

/** The users who wait, and whether they are let in. */
export const JoinDecisionBody = Type.Object({
  action: Type.Unsafe<'approve' | 'reject'>({ type: 'string', enum: ['approve', 'reject'] }),
  participants: Participants,
});
export type JoinDecisionBody = Static<typeof JoinDecisionBody>;

/** Who may add members. */
export const MemberAddModeBody = Type.Object({
  mode: Type.Unsafe<'admin_add' | 'all_member_add'>({ type: 'string', enum: ['admin_add', 'all_member_add'] }),
});
export type MemberAddModeBody = Static<typeof MemberAddModeBody>;

/** Whether admins approve new members. */
export const JoinApprovalModeBody = Type.Object({ mode: Type.Unsafe<'on' | 'off'>({ type: 'string', enum: ['on', 'off'] }) });
export type JoinApprovalModeBody = Static<typeof JoinApprovalModeBody>;

/** POST /group/create/{instance}: Create a group. */
export const createGroupRoute = {
  operationId: 'createGroup',
  summary: 'Create a group',
  method: 'POST',
  url: '/group/create/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: CreateGroupBody,
  response: {
    201: GroupRecord,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /group/findGroupInfos/{instance}: Get a group. */
export const findGroupInfosRoute = {
  operationId: 'findGroupInfos',
  summary: 'Get a group',
  method: 'GET',
  url: '/group/findGroupInfos/:instance',
  tags: ['group'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: GroupRecord,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /group/fetchAllGroups/{instance}: List groups. */
export const fetchAllGroupsRoute = {
  operationId: 'fetchAllGroups',
  summary: 'List groups',
  method: 'GET',
  url: '/group/fetchAllGroups/:instance',
  tags: ['group'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ getParticipants: Type.Boolean() }),
  response: {
    200: Type.Array(GroupRecord),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateParticipant/{instance}: Change the participants of a group. */
export const updateParticipantRoute = {
  operationId: 'updateParticipant',
  postOperationId: 'updateParticipantPost',
  summary: 'Change the participants of a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateParticipant/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdateParticipantBody,
  response: {
    201: ParticipantsResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateSetting/{instance}: Set who may send and edit in a group. */
export const updateSettingRoute = {
  operationId: 'updateSetting',
  postOperationId: 'updateSettingPost',
  summary: 'Set who may send and edit in a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateSetting/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdateSettingBody,
  response: {
    201: EmptyResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/toggleEphemeral/{instance}: Set disappearing messages of a group. */
export const toggleEphemeralRoute = {
  operationId: 'toggleEphemeral',
  postOperationId: 'toggleEphemeralPost',
  summary: 'Set disappearing messages of a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/toggleEphemeral/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: ToggleEphemeralBody,
  response: {
    201: SuccessResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateGroupDescription/{instance}: Change the description of a group. */
export const updateGroupDescriptionRoute = {
  operationId: 'updateGroupDescription',
  postOperationId: 'updateGroupDescriptionPost',
  summary: 'Change the description of a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateGroupDescription/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: GroupDescriptionBody,
  response: {
    201: UpdateResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateGroupPicture/{instance}: Change the picture of a group. */
export const updateGroupPictureRoute = {
  operationId: 'updateGroupPicture',
  postOperationId: 'updateGroupPicturePost',
  summary: 'Change the picture of a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateGroupPicture/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: GroupPictureBody,
  response: {
    201: UpdateResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateGroupSubject/{instance}: Change the name of a group. */
export const updateGroupSubjectRoute = {
  operationId: 'updateGroupSubject',
  postOperationId: 'updateGroupSubjectPost',
  summary: 'Change the name of a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateGroupSubject/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: GroupSubjectBody,
  response: {
    201: UpdateResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /group/inviteCode/{instance}: Get the invite link of a group. */
export const inviteCodeRoute = {
  operationId: 'inviteCode',
  summary: 'Get the invite link of a group',
  method: 'GET',
  url: '/group/inviteCode/:instance',
  tags: ['group'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: InviteResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /group/acceptInviteCode/{instance}: Join a group by its invite code. */
export const acceptInviteCodeRoute = {
  operationId: 'acceptInviteCode',
  summary: 'Join a group by its invite code',
  method: 'GET',
  url: '/group/acceptInviteCode/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ inviteCode: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: AcceptInviteResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /group/inviteInfo/{instance}: Preview a group by its invite code. */
export const inviteInfoRoute = {
  operationId: 'inviteInfo',
  summary: 'Preview a group by its invite code',
  method: 'GET',
  url: '/group/inviteInfo/:instance',
  tags: ['group'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ inviteCode: Type.Optional(Type.String({ maxLength: 100 })) }),
  response: {
    200: GroupRecord,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /group/participants/{instance}: List the members of a group. */
export const groupParticipantsRoute = {
  operationId: 'groupParticipants',
  summary: 'List the members of a group',
  method: 'GET',
  url: '/group/participants/:instance',
  tags: ['group'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: GroupMembers,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /group/sendInvite/{instance}: Send the invite link of a group. */
export const sendInviteRoute = {
  operationId: 'sendInvite',
  summary: 'Send the invite link of a group',
  method: 'POST',
  url: '/group/sendInvite/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendInviteBody,
  response: {
    200: SentInvite,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/revokeInviteCode/{instance}: Replace the invite link of a group. */
export const revokeInviteCodeRoute = {
  operationId: 'revokeInviteCode',
  postOperationId: 'revokeInviteCodePost',
  summary: 'Replace the invite link of a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/revokeInviteCode/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    201: RevokedInvite,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** DELETE /group/leaveGroup/{instance}: Leave a group. */
export const leaveGroupRoute = {
  operationId: 'leaveGroup',
  summary: 'Leave a group',
  method: 'DELETE',
  url: '/group/leaveGroup/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: LeftGroup,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /group/joinRequests/{instance}: List requests to join a group. */
export const joinRequestsRoute = {
  operationId: 'joinRequests',
  summary: 'List requests to join a group',
  method: 'GET',
  url: '/group/joinRequests/:instance',
  tags: ['group'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: JoinRequests,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateJoinRequests/{instance}: Approve or reject requests to join a group. */
export const updateJoinRequestsRoute = {
  operationId: 'updateJoinRequests',
  postOperationId: 'updateJoinRequestsPost',
  summary: 'Approve or reject requests to join a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateJoinRequests/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: JoinDecisionBody,
  response: {
    201: ParticipantsResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateMemberAddMode/{instance}: Set who may add members to a group. */
export const updateMemberAddModeRoute = {
  operationId: 'updateMemberAddMode',
  postOperationId: 'updateMemberAddModePost',
  summary: 'Set who may add members to a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateMemberAddMode/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: MemberAddModeBody,
  response: {
    201: SuccessResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /group/updateJoinApprovalMode/{instance}: Set whether admins approve new members of a group. */
export const updateJoinApprovalModeRoute = {
  operationId: 'updateJoinApprovalMode',
  postOperationId: 'updateJoinApprovalModePost',
  summary: 'Set whether admins approve new members of a group',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/group/updateJoinApprovalMode/:instance',
  tags: ['group'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ groupJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: JoinApprovalModeBody,
  response: {
    201: SuccessResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;
