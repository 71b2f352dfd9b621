// Sending (interface §4.3).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { sendAudio } from '../platform/message/audio.ts';
import { sendLocation } from '../platform/message/location.ts';
import { toSentMessage } from '../platform/message/result.ts';
import { sendSticker } from '../platform/message/sticker.ts';
import { sendText } from '../platform/message/text.ts';
import {
  sendLocationRoute,
  sendPlatformAudioRoute,
  sendStickerRoute,
  sendTextRoute,
  sendWhatsAppAudioRoute,
} from '../schemas/message.ts';
import type { AppDeps } from './deps.ts';

export const messageRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'media'>> = async (app, { media }) => {
  app.route({
    ...sendTextRoute,
    schema: sendTextRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(toSentMessage(await sendText(instance.session(), body))),
  });

  app.route({
    ...sendLocationRoute,
    schema: sendLocationRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(toSentMessage(await sendLocation(instance.session(), body))),
  });

  app.route({
    ...sendStickerRoute,
    schema: sendStickerRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(toSentMessage(await sendSticker(instance.session(), media, body))),
  });

  app.route({
    ...sendPlatformAudioRoute,
    schema: sendPlatformAudioRoute,
    handler: async ({ instance, body }) => toSentMessage(await sendAudio(instance.session(), media, body)),
  });

  app.route({
    ...sendWhatsAppAudioRoute,
    schema: sendWhatsAppAudioRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(toSentMessage(await sendAudio(instance.session(), media, body))),
  });
};
