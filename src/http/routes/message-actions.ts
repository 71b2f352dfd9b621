// What is done with messages and chats that are there: sent on, pinned, starred, muted.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { toggleChatEphemeral } from '../../whatsapp/chat/disappearing-messages.ts';
import { muteChat, pinChat } from '../../whatsapp/chat/pin-and-mute.ts';
import { sendAlbum } from '../../whatsapp/message/album.ts';
import { forwardMessage } from '../../whatsapp/message/forward.ts';
import { pinMessage } from '../../whatsapp/message/pin.ts';
import { starMessage } from '../../whatsapp/message/star.ts';
import type { AppDeps } from '../deps.ts';
import * as chat from '../schemas/chat.ts';
import { forwardMessageRoute, pinMessageRoute, sendAlbumRoute } from '../schemas/message.ts';
import { created, described } from './send-reply.ts';

/** Messages about other messages, and several as one. */
export const messageActionRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'media'>> = async (app, { media }) => {
  app.route({
    ...forwardMessageRoute,
    schema: forwardMessageRoute,
    handler: (request, reply) => created(request, reply, (session) => forwardMessage(session, request.body)),
  });

  app.route({
    ...pinMessageRoute,
    schema: pinMessageRoute,
    handler: (request, reply) => created(request, reply, (session) => pinMessage(session, request.body)),
  });

  app.route({
    ...sendAlbumRoute,
    schema: sendAlbumRoute,
    handler: async (request, reply) => {
      const session = request.instance.session();
      const [album, ...items] = await sendAlbum(session, media, request.body);
      const parts = Promise.all(items.map((item) => described(request, session, item)));
      return reply.code(201).send({ ...(await described(request, session, album)), items: await parts });
    },
  });
};

/** What all devices of the account share, and what everybody in a chat does. */
export const chatActionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    ...chat.pinChatRoute,
    schema: chat.pinChatRoute,
    handler: async ({ instance, body }, reply) => {
      const chatId = await pinChat(instance.session(), body);
      return reply.code(201).send({ chatId, pinned: body.pin });
    },
  });

  app.route({
    ...chat.muteChatRoute,
    schema: chat.muteChatRoute,
    handler: async ({ instance, body }, reply) => {
      const { chatId, muteEndTime } = await muteChat(instance.session(), body);
      return reply.code(201).send({ chatId, muted: body.mute, muteEndTime });
    },
  });

  app.route({
    ...chat.starMessageRoute,
    schema: chat.starMessageRoute,
    handler: async ({ instance, body }, reply) => reply.code(201).send(await starMessage(instance.session(), body)),
  });

  app.route({
    ...chat.toggleChatEphemeralRoute,
    schema: chat.toggleChatEphemeralRoute,
    handler: async ({ instance, body }, reply) => {
      const chatId = await toggleChatEphemeral(instance.session(), body);
      return reply.code(201).send({ chatId, expiration: body.expiration });
    },
  });
};
