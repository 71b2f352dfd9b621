// Sending (interface §4.3), and what became of what was sent.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { sendAudio } from '../../whatsapp/message/audio.ts';
import { sendLocation } from '../../whatsapp/message/location.ts';
import { sendSticker } from '../../whatsapp/message/sticker.ts';
import { sendText } from '../../whatsapp/message/text.ts';
import { reportStatus } from '../../whatsapp/outbound/send-outcome.ts';
import type { AppDeps } from '../deps.ts';
import {
  messageStatusRoute,
  sendLocationRoute,
  sendPlatformAudioRoute,
  sendStickerRoute,
  sendTextRoute,
  sendWhatsAppAudioRoute,
} from '../schemas/message.ts';
import { messageActionRoutes } from './message-actions.ts';
import { messageKindRoutes } from './message-kinds.ts';
import { created, replyWithSend } from './send-reply.ts';

export const messageRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'media' | 'store'>> = async (
  app,
  { media, store },
) => {
  await app.register(messageKindRoutes, { media });
  await app.register(messageActionRoutes, { media });

  app.route({
    ...sendTextRoute,
    schema: sendTextRoute,
    handler: (request, reply) => created(request, reply, (session) => sendText(session, request.body)),
  });

  app.route({
    ...sendLocationRoute,
    schema: sendLocationRoute,
    handler: (request, reply) => created(request, reply, (session) => sendLocation(session, request.body)),
  });

  app.route({
    ...sendStickerRoute,
    schema: sendStickerRoute,
    handler: (request, reply) => created(request, reply, (session) => sendSticker(session, media, request.body)),
  });

  app.route({
    ...sendPlatformAudioRoute,
    schema: sendPlatformAudioRoute,
    handler: (request) => replyWithSend(request, (session) => sendAudio(session, media, request.body)),
  });

  app.route({
    ...sendWhatsAppAudioRoute,
    schema: sendWhatsAppAudioRoute,
    handler: (request, reply) => created(request, reply, (session) => sendAudio(session, media, request.body)),
  });

  app.route({
    ...messageStatusRoute,
    schema: messageStatusRoute,
    handler: ({ instance, params }) => reportStatus(store.messages, instance.id, params.messageId),
  });
};
