// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type ObjectSchema, type Schema, schema } from '../../lib/json-schema.ts';
import {
  ErrorBody,
  GetParticipantsQuery,
  GroupJidQuery,
  GroupRecord,
  IdempotencyKeyHeaders,
  InstanceParams,
  InviteCodeQuery,
  OptionalInviteCodeQuery,
  ParticipantResult,
  Recipient,
  UpdateResult,
} from './common.ts';

/** A group name; typed object in the interface, where a plain string is meant. Both are accepted. */
export type GroupSubject = string | { subject: string };
export const GroupSubject: Schema<GroupSubject> = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 100 },
    {
      type: 'object',
      properties: { subject: { type: 'string', minLength: 1, maxLength: 100 } },
      required: ['subject'],
    },
  ],
};

/** A group description; a plain string or an object that holds it. */
export type GroupDescription = string | { description: string };
export const GroupDescription: Schema<GroupDescription> = {
  anyOf: [
    { type: 'string', maxLength: 2048 },
    {
      type: 'object',
      properties: { description: { type: 'string', maxLength: 2048 } },
      required: ['description'],
    },
  ],
};

/** A picture: address, base64 or data URL, or an object that holds it. */
export type GroupPicture = string | { image: string };
export const GroupPicture: Schema<GroupPicture> = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 22500000 },
    {
      type: 'object',
      properties: { image: { type: 'string', minLength: 1, maxLength: 22500000 } },
      required: ['image'],
    },
  ],
};

/** Users as phone numbers in E.164 digits without `+`, JIDs, LIDs or user names. */
export type Participants = Recipient[];
export const Participants: Schema<Participants> = { type: 'array', items: Recipient, minItems: 1, maxItems: 1024 };

/** A new group. */
export type CreateGroupBody = {
  subject: GroupSubject;
  description?: string;
  participants: Participants;
  promoteParticipants?: boolean;
  profilePicture?: string;
};
export const CreateGroupBody: ObjectSchema<CreateGroupBody> = {
  type: 'object',
  properties: {
    subject: GroupSubject,
    description: { type: 'string', maxLength: 2048 },
    participants: Participants,
    promoteParticipants: { type: 'boolean' },
    profilePicture: { type: 'string', minLength: 1, maxLength: 22500000 },
  },
  required: ['subject', 'participants'],
};

/** The participants, and what to do with them. */
export type UpdateParticipantBody = { action: 'add' | 'remove' | 'promote' | 'demote'; participants: Participants };
export const UpdateParticipantBody: ObjectSchema<UpdateParticipantBody> = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['add', 'remove', 'promote', 'demote'] },
    participants: Participants,
  },
  required: ['action', 'participants'],
};

/** The result for each participant. */
export type ParticipantsResult = { updateParticipants: ParticipantResult[] };
export const ParticipantsResult: ObjectSchema<ParticipantsResult> = {
  type: 'object',
  properties: { updateParticipants: { type: 'array', items: ParticipantResult } },
  required: ['updateParticipants'],
};

/** The setting to apply. */
export type UpdateSettingBody = { action: 'announcement' | 'not_announcement' | 'locked' | 'unlocked' };
export const UpdateSettingBody: ObjectSchema<UpdateSettingBody> = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['announcement', 'not_announcement', 'locked', 'unlocked'] },
  },
  required: ['action'],
};

/** Nothing to report beyond success. */
export type EmptyResult = {};
export const EmptyResult: Schema<EmptyResult> = { type: 'object', properties: {} };

/** The time after which messages of the group disappear. */
export type ToggleEphemeralBody = { expiration: 0 | 86400 | 604800 | 7776000 };
export const ToggleEphemeralBody: ObjectSchema<ToggleEphemeralBody> = {
  type: 'object',
  properties: { expiration: { type: 'integer', enum: [0, 86400, 604800, 7776000] } },
  required: ['expiration'],
};

/** Done. */
export type SuccessResult = { success: boolean };
export const SuccessResult: ObjectSchema<SuccessResult> = { type: 'object', properties: { success: { type: 'boolean' } }, required: ['success'] };

/** The new description. */
export type GroupDescriptionBody = { description: GroupDescription };
export const GroupDescriptionBody: ObjectSchema<GroupDescriptionBody> = {
  type: 'object',
  properties: { description: GroupDescription },
  required: ['description'],
};

/** The new picture. */
export type GroupPictureBody = { image: GroupPicture };
export const GroupPictureBody: ObjectSchema<GroupPictureBody> = { type: 'object', properties: { image: GroupPicture }, required: ['image'] };

/** The new name. */
export type GroupSubjectBody = { subject: GroupSubject };
export const GroupSubjectBody: ObjectSchema<GroupSubjectBody> = { type: 'object', properties: { subject: GroupSubject }, required: ['subject'] };

/** The invite link of a group. */
export type InviteResult = { inviteUrl: string; inviteCode: string };
export const InviteResult: ObjectSchema<InviteResult> = {
  type: 'object',
  properties: { inviteUrl: { type: 'string' }, inviteCode: { type: 'string' } },
  required: ['inviteUrl', 'inviteCode'],
};

/** The group that was joined. */
export type AcceptInviteResult = { accepted: boolean; groupJid: string };
export const AcceptInviteResult: ObjectSchema<AcceptInviteResult> = {
  type: 'object',
  properties: { accepted: { type: 'boolean' }, groupJid: { type: 'string' } },
  required: ['accepted', 'groupJid'],
};

/** Who is in a group. */
export type GroupMembers = {
  participants: {
    id: string;
    admin?: string | null;
    lid?: string;
    username?: string;
    name: string | null;
    imgUrl: string | null;
  }[];
};
export const GroupMembers: ObjectSchema<GroupMembers> = {
  type: 'object',
  properties: {
    participants: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          admin: { type: ['string', 'null'] },
          lid: { type: 'string' },
          username: { type: 'string' },
          name: { type: ['string', 'null'] },
          imgUrl: { type: ['string', 'null'] },
        },
        required: ['id', 'name', 'imgUrl'],
      },
    },
  },
  required: ['participants'],
};

/** The recipients of the invite link, and the text above it. */
export type SendInviteBody = { description?: string; numbers: Recipient[] };
export const SendInviteBody: ObjectSchema<SendInviteBody> = {
  type: 'object',
  properties: {
    description: { type: 'string', maxLength: 4096 },
    numbers: { type: 'array', items: Recipient, minItems: 1, maxItems: 100 },
  },
  required: ['numbers'],
};

/** Recipients of the invite link, and recipients who could not be reached. */
export type SentInvite = {
  send: boolean;
  inviteUrl: string;
  sent: { number: string; id: string }[];
  failed: { number: string; code: string; message: string }[];
};
export const SentInvite: ObjectSchema<SentInvite> = {
  type: 'object',
  properties: {
    send: { type: 'boolean' },
    inviteUrl: { type: 'string' },
    sent: {
      type: 'array',
      items: {
        type: 'object',
        properties: { number: { type: 'string' }, id: { type: 'string' } },
        required: ['number', 'id'],
      },
    },
    failed: {
      type: 'array',
      items: {
        type: 'object',
        properties: { number: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
        required: ['number', 'code', 'message'],
      },
    },
  },
  required: ['send', 'inviteUrl', 'sent', 'failed'],
};

/** The invite link that replaces the old one. */
export type RevokedInvite = { revoked: boolean; inviteCode: string; inviteUrl: string };
export const RevokedInvite: ObjectSchema<RevokedInvite> = {
  type: 'object',
  properties: {
    revoked: { type: 'boolean' },
    inviteCode: { type: 'string' },
    inviteUrl: { type: 'string' },
  },
  required: ['revoked', 'inviteCode', 'inviteUrl'],
};

/** The group that was left. */
export type LeftGroup = { groupJid: string; leave: boolean };
export const LeftGroup: ObjectSchema<LeftGroup> = {
  type: 'object',
  properties: { groupJid: { type: 'string' }, leave: { type: 'boolean' } },
  required: ['groupJid', 'leave'],
};

/** Users who wait for the approval of an admin. */
export type JoinRequests = { requests: { jid: string; lid?: string; requestedAt: number; method?: string }[] };
export const JoinRequests: ObjectSchema<JoinRequests> = {
  type: 'object',
  properties: {
    requests: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          jid: { type: 'string' },
          lid: { type: 'string' },
          requestedAt: { type: 'integer' },
          method: { type: 'string' },
        },
        required: ['jid', 'requestedAt'],
      },
    },
  },
  required: ['requests'],
};

/** The users who wait, and whether they are let in. */
export type JoinDecisionBody = { action: 'approve' | 'reject'; participants: Participants };
export const JoinDecisionBody: ObjectSchema<JoinDecisionBody> = {
  type: 'object',
  properties: { action: { type: 'string', enum: ['approve', 'reject'] }, participants: Participants },
  required: ['action', 'participants'],
};

/** Who may add members. */
export type MemberAddModeBody = { mode: 'admin_add' | 'all_member_add' };
export const MemberAddModeBody: ObjectSchema<MemberAddModeBody> = {
  type: 'object',
  properties: { mode: { type: 'string', enum: ['admin_add', 'all_member_add'] } },
  required: ['mode'],
};

/** Whether admins approve new members. */
export type JoinApprovalModeBody = { mode: 'on' | 'off' };
export const JoinApprovalModeBody: ObjectSchema<JoinApprovalModeBody> = {
  type: 'object',
  properties: { mode: { type: 'string', enum: ['on', 'off'] } },
  required: ['mode'],
};

/** POST /group/create/{instance}: Create a group. */
export const createGroupRoute = {
  operationId: 'createGroup',
  summary: 'Create a group',
  method: 'POST',
  url: '/group/create/:instance',
  tags: ['group'],
  scope: 'send',
  params: InstanceParams,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GetParticipantsQuery,
  response: {
    200: schema<GroupRecord[]>({ type: 'array', items: GroupRecord }),
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: InviteCodeQuery,
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
  params: InstanceParams,
  querystring: OptionalInviteCodeQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
  params: InstanceParams,
  querystring: GroupJidQuery,
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
