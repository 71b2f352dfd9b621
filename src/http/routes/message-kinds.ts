// Sending what the interface does not have: the further kinds of messages.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GatewayError } from '../../errors.ts';
import { sendButtons } from '../../whatsapp/message/buttons.ts';
import { sendContact } from '../../whatsapp/message/contact.ts';
import { sendList } from '../../whatsapp/message/list.ts';
import { sendMedia } from '../../whatsapp/message/media.ts';
import { sendPoll } from '../../whatsapp/message/poll.ts';
import { sendPtv } from '../../whatsapp/message/ptv.ts';
import { sendReaction } from '../../whatsapp/message/reaction.ts';
import { sendStatus } from '../../whatsapp/message/status.ts';
import type { AppDeps } from '../deps.ts';
import {
  sendButtonsRoute,
  sendContactRoute,
  sendListRoute,
  sendMediaRoute,
  sendPollRoute,
  sendPtvRoute,
  sendReactionRoute,
  sendStatusRoute,
  sendTemplateRoute,
} from '../schemas/message.ts';
import { created } from './send-reply.ts';

export const messageKindRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'media'>> = async (app, { media }) => {
  app.route({
    ...sendMediaRoute,
    schema: sendMediaRoute,
    handler: (request, reply) => created(request, reply, (session) => sendMedia(session, media, request.body)),
  });

  app.route({
    ...sendPtvRoute,
    schema: sendPtvRoute,
    handler: (request, reply) => created(request, reply, (session) => sendPtv(session, media, request.body)),
  });

  app.route({
    ...sendContactRoute,
    schema: sendContactRoute,
    handler: (request, reply) => created(request, reply, (session) => sendContact(session, request.body)),
  });

  app.route({
    ...sendReactionRoute,
    schema: sendReactionRoute,
    handler: (request, reply) => created(request, reply, (session) => sendReaction(session, request.body)),
  });

  app.route({
    ...sendPollRoute,
    schema: sendPollRoute,
    handler: (request, reply) => created(request, reply, (session) => sendPoll(session, request.body)),
  });

  app.route({
    ...sendStatusRoute,
    schema: sendStatusRoute,
    handler: (request, reply) => created(request, reply, (session) => sendStatus(session, media, request.body)),
  });

  app.route({
    ...sendListRoute,
    schema: sendListRoute,
    handler: (request, reply) => created(request, reply, (session) => sendList(session, request.body)),
  });

  app.route({
    ...sendButtonsRoute,
    schema: sendButtonsRoute,
    handler: (request, reply) => created(request, reply, (session) => sendButtons(session, media, request.body)),
  });

  app.route({
    ...sendTemplateRoute,
    schema: sendTemplateRoute,
    handler: async () => {
      throw new GatewayError('NOT_IMPLEMENTED', 'Method not available in the Baileys service', { certain: true });
    },
  });
};
