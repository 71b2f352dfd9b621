// Chats, profile and privacy (interface §4.4).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GatewayError } from '../errors.ts';
import { updateMessage } from '../platform/chat/edit.ts';
import { type Archive, findMessages, findStatuses } from '../platform/chat/find.ts';
import { sendPresence } from '../platform/chat/presence.ts';
import { fetchProfilePictureUrl, updatePrivacySettings, updateProfileStatus } from '../platform/chat/profile.ts';
import { toSentMessage } from '../platform/message/result.ts';
import type { Session } from '../platform/session.ts';
import * as chat from '../schemas/chat.ts';
import type { AppDeps, AppInstance } from './deps.ts';

export const chatRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'store'>> = async (app, { store }) => {
  const archive = (instance: AppInstance): Archive => ({ instance, ...pick(store) });

  app.route({
    ...chat.sendPresenceRoute,
    schema: chat.sendPresenceRoute,
    handler: async ({ instance, body }, reply) => reply.code(201).send(await sendPresence(instance.session(), body)),
  });

  for (const route of [chat.updateMessageRoute, chat.updateMessagePostRoute]) {
    app.route({
      ...route,
      schema: route,
      handler: async ({ instance, body }) => toSentMessage(await updateMessage(instance.session(), body)),
    });
  }

  app.route({
    ...chat.findStatusMessageRoute,
    schema: chat.findStatusMessageRoute,
    handler: ({ instance, body }) => findStatuses(archive(instance), body),
  });

  app.route({
    ...chat.findMessagesRoute,
    schema: { ...chat.findMessagesRoute, response: { 200: chat.StoredMessagePage } },
    // Only the page of the newer dialect says how many there are.
    handler: ({ instance, body, rewritten }) =>
      findMessages(archive(instance), body, { isCounted: rewritten?.dialect === 'v2' }),
  });

  app.route({
    ...chat.fetchProfilePictureUrlRoute,
    schema: chat.fetchProfilePictureUrlRoute,
    handler: ({ instance, body }) => fetchProfilePictureUrl(openSession(instance), body.number),
  });

  app.route({
    ...chat.updateProfileStatusRoute,
    schema: chat.updateProfileStatusRoute,
    handler: async ({ instance, body }) => {
      await updateProfileStatus(instance.session(), body.status);
      return { update: 'success' };
    },
  });

  for (const route of [chat.updatePrivacySettingsRoute, chat.updatePrivacySettingsPostRoute]) {
    app.route({
      ...route,
      schema: route,
      handler: async ({ instance, body }, reply) => {
        const data = await updatePrivacySettings(instance.session(), body.privacySettings);
        // The platform's own words, which the contract lists.
        return reply.code(201).send({ update: 'success', data: data as chat.PrivacySettings });
      },
    });
  }
};

/** Undefined while the instance is not connected. */
function openSession(instance: AppInstance): Session | undefined {
  try {
    return instance.session();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'INSTANCE_NOT_OPEN') return undefined;
    throw error;
  }
}

const pick = ({ messages, authKeys }: AppDeps['store']) => ({ messages, authKeys });
