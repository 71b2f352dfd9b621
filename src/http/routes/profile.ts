// Operations on the account's own profile and privacy settings. Their paths start with `/chat`.
import {
  fetchPrivacySettings,
  removeProfilePicture,
  updatePrivacySettings,
  updateProfileName,
  updateProfilePicture,
} from '../../whatsapp/profile/own-profile.ts';
import { updateProfileStatus } from '../../whatsapp/profile/status-text.ts';
import type { AppDeps } from '../deps.ts';
import * as chat from '../schemas/chat.ts';
import type { RoutePlugin } from '../type-provider.ts';

const SUCCESS_REPLY = { update: 'success' };

export const profileRoutes: RoutePlugin<Pick<AppDeps, 'media'>> = async (app, { media }) => {
  app.route({
    ...chat.updateProfileNameRoute,
    schema: chat.updateProfileNameRoute,
    handler: async ({ instance, body }) => {
      await updateProfileName(instance.session(), body.name);
      return SUCCESS_REPLY;
    },
  });

  app.route({
    ...chat.updateProfileStatusRoute,
    schema: chat.updateProfileStatusRoute,
    handler: async ({ instance, body }) => {
      await updateProfileStatus(instance.session(), body);
      return SUCCESS_REPLY;
    },
  });

  app.route({
    ...chat.updateProfilePictureRoute,
    schema: chat.updateProfilePictureRoute,
    handler: async ({ instance, body }) => {
      await updateProfilePicture(instance.session(), media, body.picture);
      return SUCCESS_REPLY;
    },
  });

  app.route({
    ...chat.removeProfilePictureRoute,
    schema: chat.removeProfilePictureRoute,
    handler: async ({ instance }) => {
      await removeProfilePicture(instance.session());
      return SUCCESS_REPLY;
    },
  });

  app.route({
    ...chat.fetchPrivacySettingsRoute,
    schema: chat.fetchPrivacySettingsRoute,
    // The type is asserted: sessions return the values as strings, and the schema lists the strings that WhatsApp
    // sends.
    handler: async ({ instance }) => (await fetchPrivacySettings(instance.session())) as chat.PrivacySettings,
  });

  app.route({
    ...chat.updatePrivacySettingsRoute,
    schema: chat.updatePrivacySettingsRoute,
    handler: async ({ instance, body }, reply) => {
      const data = await updatePrivacySettings(instance.session(), body.privacySettings);
      return reply.code(201).send({ update: 'success', data: data as chat.PrivacySettings });
    },
  });
};
