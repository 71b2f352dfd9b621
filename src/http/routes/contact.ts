// Operations on contacts: their profiles, checks whether numbers are on WhatsApp, lookups of LIDs (account ids that
// hide the phone number), and the block list.
import { hasCode } from '../../errors.ts';
import { findContacts } from '../../whatsapp/chat/list.ts';
import { checkNumbers } from '../../whatsapp/profile/check-numbers.ts';
import {
  fetchBusinessProfile,
  fetchProfile,
  fetchProfilePictureUrl,
  updateBlockStatus,
} from '../../whatsapp/profile/contact.ts';
import { findLids } from '../../whatsapp/profile/find-lids.ts';
import type { Session } from '../../whatsapp/session.ts';
import type { AppInstance, RouteDeps } from '../deps.ts';
import * as chat from '../schemas/chat.ts';
import type { RoutePlugin } from '../type-provider.ts';
import { toDirectory } from './chat.ts';

export const contactRoutes: RoutePlugin<Pick<RouteDeps, 'store' | 'lookupBucket'>> = async (
  app,
  { store, lookupBucket },
) => {
  // One client library calls this operation checkIsWhatsappNumber (D-114).
  for (const route of [chat.whatsappNumbersRoute, chat.checkIsWhatsappNumberRoute]) {
    app.route({
      ...route,
      schema: route,
      handler: ({ instance, body }) => checkNumbers(instance.session(), body.numbers, lookupBucket),
    });
  }

  app.route({
    ...chat.findLidsRoute,
    schema: chat.findLidsRoute,
    handler: ({ instance, body }) => findLids(instance.session(), body.numbers, lookupBucket),
  });

  app.route({
    ...chat.findContactsRoute,
    schema: chat.findContactsRoute,
    handler: ({ instance, body }) => findContacts(toDirectory(instance, store), body),
  });

  app.route({
    ...chat.fetchProfilePictureUrlRoute,
    schema: chat.fetchProfilePictureUrlRoute,
    handler: ({ instance, body }) => fetchProfilePictureUrl(sessionIfOpen(instance), body.number),
  });

  app.route({
    ...chat.fetchProfileRoute,
    schema: chat.fetchProfileRoute,
    handler: ({ instance, body }) => fetchProfile(instance.session(), body.number),
  });

  app.route({
    ...chat.fetchBusinessProfileRoute,
    schema: chat.fetchBusinessProfileRoute,
    handler: ({ instance, body }) => fetchBusinessProfile(instance.session(), body.number),
  });

  // Clients call this operation below /chat and below /message.
  for (const route of [chat.updateBlockStatusRoute, chat.updateBlockStatusAsMessageRoute]) {
    app.route({
      ...route,
      schema: route,
      handler: async ({ instance, body }, reply) => {
        await updateBlockStatus(instance.session(), body.number, body.status);
        return reply.code(201).send({ block: 'success' });
      },
    });
  }
};

/** The session; undefined while the instance is not connected. fetchProfilePictureUrl() then returns no URL. */
function sessionIfOpen(instance: AppInstance): Session | undefined {
  try {
    return instance.session();
  } catch (error) {
    if (hasCode(error, 'INSTANCE_NOT_OPEN')) return undefined;
    throw error;
  }
}
