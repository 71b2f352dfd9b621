// Operations on groups: their members, profile, settings, invites and join requests.
import type { FastifyInstance } from 'fastify';
import { type JsonSchema, type ObjectSchema, type Schema, schema } from '../../lib/json-schema.ts';
import { createGroup as createWhatsAppGroup } from '../../whatsapp/group/create.ts';
import { acceptInvite, previewInvite, readInvite, revokeInvite } from '../../whatsapp/group/invite.ts';
import { decideJoinRequests, listJoinRequests } from '../../whatsapp/group/join-requests.ts';
import { leaveGroup } from '../../whatsapp/group/leave.ts';
import { updateParticipants } from '../../whatsapp/group/participants.ts';
import { updateDescription, updatePicture, updateSubject } from '../../whatsapp/group/profile.ts';
import { fetchGroups, findGroup, findParticipants } from '../../whatsapp/group/read.ts';
import {
  setGroupDisappearingTimer,
  updateJoinApprovalMode,
  updateMemberAddMode,
  updateSetting,
} from '../../whatsapp/group/settings.ts';
import { sendInvite } from '../../whatsapp/message/group-invite.ts';
import type { AppDeps } from '../deps.ts';
import * as group from '../schemas/group.ts';
import type { RoutePlugin } from '../type-provider.ts';

// The contract accepts subject, description and image as a plain text, or as an object that contains the text.
// plugins/body.ts converts the objects to plain texts before validation, so these schemas accept only plain texts.
const subject = plainTextOf(group.GroupSubject);
const description = plainTextOf(group.GroupDescription);
const image = plainTextOf(group.GroupPicture);
const createBody: ObjectSchema<group.CreateGroupBody & { subject: string }> = {
  type: 'object',
  properties: { ...group.CreateGroupBody.properties, subject },
  required: group.CreateGroupBody.required,
};
const subjectBody = schema<{ subject: string }>({ type: 'object', properties: { subject }, required: ['subject'] });
const descriptionBody = schema<{ description: string }>({
  type: 'object',
  properties: { description },
  required: ['description'],
});
const pictureBody = schema<{ image: string }>({ type: 'object', properties: { image }, required: ['image'] });

/** Returns the first alternative of an `anyOf` schema, which describes the plain text. */
function plainTextOf({ anyOf: [text] = [] }: JsonSchema): Schema<string> {
  if (!text) throw new Error('the schema has no alternatives');
  return text;
}

export const groupRoutes: RoutePlugin<Pick<AppDeps, 'media' | 'operations'>> = async (app, deps) => {
  copyGroupJidToQuery(app);
  await readRoutes(app, {});
  await managementRoutes(app, deps);
  await profileRoutes(app, deps);
  await inviteRoutes(app, {});
  await joinRoutes(app, {});
};

/** Copies `groupJid` from the body to the query, where the schemas expect it: v2 clients send it in the body. */
function copyGroupJidToQuery(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ query, body }) => {
    const hasGroupJid = (value: unknown): value is { groupJid: unknown } =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, 'groupJid');
    if (hasGroupJid(body) && !hasGroupJid(query)) Object.assign(query ?? {}, { groupJid: body.groupJid });
  });
}

const readRoutes: RoutePlugin = async (app) => {
  app.route({
    ...group.findGroupInfosRoute,
    schema: group.findGroupInfosRoute,
    handler: ({ instance, query }) => findGroup(instance.session(), query.groupJid),
  });
  app.route({
    ...group.fetchAllGroupsRoute,
    schema: group.fetchAllGroupsRoute,
    handler: ({ instance, query }) => fetchGroups(instance.session(), { withParticipants: query.getParticipants }),
  });
  app.route({
    ...group.groupParticipantsRoute,
    schema: group.groupParticipantsRoute,
    handler: async ({ instance, query }) => ({
      participants: await findParticipants(instance.session(), query.groupJid),
    }),
  });
};

/** Creates and leaves groups, and changes their participants and settings. */
const managementRoutes: RoutePlugin<Pick<AppDeps, 'media' | 'operations'>> = async (app, { media, operations }) => {
  // Tests replace this operation.
  const createGroup = operations?.createGroup ?? createWhatsAppGroup;
  const createSchema = { ...group.createGroupRoute, body: createBody };
  app.route({
    ...createSchema,
    schema: createSchema,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(await createGroup(instance.session(), media, body)),
  });
  app.route({
    ...group.leaveGroupRoute,
    schema: group.leaveGroupRoute,
    handler: ({ instance, query }) => leaveGroup(instance.session(), query.groupJid),
  });
  app.route({
    ...group.updateParticipantRoute,
    schema: group.updateParticipantRoute,
    handler: async ({ instance, query, body }, reply) =>
      reply.code(201).send({ updateParticipants: await updateParticipants(instance.session(), query.groupJid, body) }),
  });
  app.route({
    ...group.updateSettingRoute,
    schema: group.updateSettingRoute,
    handler: async ({ instance, query, body }, reply) => {
      await updateSetting(instance.session(), query.groupJid, body.action);
      return reply.code(201).send({});
    },
  });
  app.route({
    ...group.toggleEphemeralRoute,
    schema: group.toggleEphemeralRoute,
    handler: async ({ instance, query, body }, reply) => {
      await setGroupDisappearingTimer(instance.session(), query.groupJid, body.expiration);
      return reply.code(201).send({ success: true });
    },
  });
};

const SUCCESS_REPLY = { update: 'success' };

/** Subject, description and picture. */
const profileRoutes: RoutePlugin<Pick<AppDeps, 'media'>> = async (app, { media }) => {
  const subjectRoute = { ...group.updateGroupSubjectRoute, body: subjectBody };
  app.route({
    ...subjectRoute,
    schema: subjectRoute,
    handler: async ({ instance, query, body }, reply) => {
      await updateSubject(instance.session(), query.groupJid, body.subject);
      return reply.code(201).send(SUCCESS_REPLY);
    },
  });
  const descriptionRoute = { ...group.updateGroupDescriptionRoute, body: descriptionBody };
  app.route({
    ...descriptionRoute,
    schema: descriptionRoute,
    handler: async ({ instance, query, body }, reply) => {
      await updateDescription(instance.session(), query.groupJid, body.description);
      return reply.code(201).send(SUCCESS_REPLY);
    },
  });
  const pictureRoute = { ...group.updateGroupPictureRoute, body: pictureBody };
  app.route({
    ...pictureRoute,
    schema: pictureRoute,
    handler: async ({ instance, query, body }, reply) => {
      await updatePicture(instance.session(), media, query.groupJid, body.image);
      return reply.code(201).send(SUCCESS_REPLY);
    },
  });
};

const inviteRoutes: RoutePlugin = async (app) => {
  app.route({
    ...group.inviteCodeRoute,
    schema: group.inviteCodeRoute,
    handler: ({ instance, query }) => readInvite(instance.session(), query.groupJid),
  });
  app.route({
    ...group.acceptInviteCodeRoute,
    schema: group.acceptInviteCodeRoute,
    handler: ({ instance, query }) => acceptInvite(instance.session(), query.inviteCode),
  });
  // The contract lists the invite code as optional, but the operation needs it.
  const inviteInfoSchema = { ...group.inviteInfoRoute, querystring: group.acceptInviteCodeRoute.querystring };
  app.route({
    ...inviteInfoSchema,
    schema: inviteInfoSchema,
    handler: ({ instance, query }) => previewInvite(instance.session(), query.inviteCode),
  });
  app.route({
    ...group.sendInviteRoute,
    schema: group.sendInviteRoute,
    handler: ({ instance, query, body }) => sendInvite(instance.session(), query.groupJid, body),
  });
  app.route({
    ...group.revokeInviteCodeRoute,
    schema: group.revokeInviteCodeRoute,
    handler: async ({ instance, query }, reply) =>
      reply.code(201).send(await revokeInvite(instance.session(), query.groupJid)),
  });
};

/** Join requests, and two settings: who can add members, and whether an admin must approve new members. */
const joinRoutes: RoutePlugin = async (app) => {
  app.route({
    ...group.joinRequestsRoute,
    schema: group.joinRequestsRoute,
    handler: async ({ instance, query }) => ({ requests: await listJoinRequests(instance.session(), query.groupJid) }),
  });
  app.route({
    ...group.updateJoinRequestsRoute,
    schema: group.updateJoinRequestsRoute,
    handler: async ({ instance, query, body }, reply) =>
      reply.code(201).send({ updateParticipants: await decideJoinRequests(instance.session(), query.groupJid, body) }),
  });
  app.route({
    ...group.updateMemberAddModeRoute,
    schema: group.updateMemberAddModeRoute,
    handler: async ({ instance, query, body }, reply) => {
      await updateMemberAddMode(instance.session(), query.groupJid, body.mode);
      return reply.code(201).send({ success: true });
    },
  });
  app.route({
    ...group.updateJoinApprovalModeRoute,
    schema: group.updateJoinApprovalModeRoute,
    handler: async ({ instance, query, body }, reply) => {
      await updateJoinApprovalMode(instance.session(), query.groupJid, body.mode);
      return reply.code(201).send({ success: true });
    },
  });
};
