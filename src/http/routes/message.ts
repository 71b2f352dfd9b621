// Operations on messages: every kind of send, forward, pin, and the delivery status of a sent message.
import { GatewayError } from '../../errors.ts';
import { sendAlbum } from '../../whatsapp/message/album.ts';
import { sendAudio } from '../../whatsapp/message/audio.ts';
import { sendButtons } from '../../whatsapp/message/buttons.ts';
import { sendContact } from '../../whatsapp/message/contact.ts';
import { forwardMessage } from '../../whatsapp/message/forward.ts';
import { sendList } from '../../whatsapp/message/list.ts';
import { sendLocation } from '../../whatsapp/message/location.ts';
import { sendMedia } from '../../whatsapp/message/media.ts';
import { pinMessage } from '../../whatsapp/message/pin.ts';
import { sendPoll } from '../../whatsapp/message/poll.ts';
import { sendPtv } from '../../whatsapp/message/ptv.ts';
import { sendReaction } from '../../whatsapp/message/reaction.ts';
import { sendStatus } from '../../whatsapp/message/status.ts';
import { sendSticker } from '../../whatsapp/message/sticker.ts';
import { sendText as sendTextMessage } from '../../whatsapp/message/text.ts';
import { readStatusHistory } from '../../whatsapp/outbound/send-outcome.ts';
import type { RouteDeps } from '../deps.ts';
import * as message from '../schemas/message.ts';
import type { RoutePlugin } from '../type-provider.ts';
import { replyWithSend, runSend, toSendReply } from './send-reply.ts';

/** `operations`: replacements of operations in tests. `lookupBucket`: the limit of lookups at WhatsApp. */
type Deps = Pick<RouteDeps, 'media' | 'store' | 'operations' | 'lookupBucket'>;

export const messageRoutes: RoutePlugin<Deps> = async (app, deps) => {
  await contentRoutes(app, deps);
  await fileRoutes(app, deps);
  await referenceRoutes(app, deps);
};

/**
 * Messages made of text and structured content. A description of schemas/message.ts contains the members of a route
 * (`method`, `url`, …) and the members of its schema (`body`, `response`, …), so it is passed as both.
 */
const contentRoutes: RoutePlugin<Deps> = async (app, { media, operations, lookupBucket }) => {
  const sendText = operations?.sendText ?? sendTextMessage;

  app.route({
    ...message.sendTextRoute,
    schema: message.sendTextRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendText(session, request.body)),
  });

  app.route({
    ...message.sendLocationRoute,
    schema: message.sendLocationRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendLocation(session, request.body)),
  });

  app.route({
    ...message.sendContactRoute,
    schema: message.sendContactRoute,
    handler: (request, reply) =>
      replyWithSend(request, reply, (session) => sendContact(session, request.body, lookupBucket)),
  });

  app.route({
    ...message.sendPollRoute,
    schema: message.sendPollRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendPoll(session, request.body)),
  });

  app.route({
    ...message.sendListRoute,
    schema: message.sendListRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendList(session, request.body)),
  });

  app.route({
    ...message.sendButtonsRoute,
    schema: message.sendButtonsRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendButtons(session, media, request.body)),
  });

  app.route({
    ...message.sendTemplateRoute,
    schema: message.sendTemplateRoute,
    // Templates exist only on WhatsApp's platform for businesses (D-110). `certain`: nothing was sent.
    handler: async () => {
      throw new GatewayError('NOT_IMPLEMENTED', 'Method not available in the Baileys service', { certain: true });
    },
  });
};

/** Messages with a file. A PTV is a video note, which phones show as a circle. */
const fileRoutes: RoutePlugin<Pick<Deps, 'media' | 'lookupBucket'>> = async (app, { media, lookupBucket }) => {
  app.route({
    ...message.sendMediaRoute,
    schema: message.sendMediaRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendMedia(session, media, request.body)),
  });

  app.route({
    ...message.sendPtvRoute,
    schema: message.sendPtvRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendPtv(session, media, request.body)),
  });

  app.route({
    ...message.sendStickerRoute,
    schema: message.sendStickerRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendSticker(session, media, request.body)),
  });

  app.route({
    ...message.sendWhatsAppAudioRoute,
    schema: message.sendWhatsAppAudioRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendAudio(session, media, request.body)),
  });

  app.route({
    ...message.sendPlatformAudioRoute,
    schema: message.sendPlatformAudioRoute,
    // The same operation as sendWhatsAppAudio, under another path. Only this path replies with 200 (D-033).
    handler: (request, reply) =>
      replyWithSend(request, reply, (session) => sendAudio(session, media, request.body), 200),
  });

  app.route({
    ...message.sendStatusRoute,
    schema: message.sendStatusRoute,
    handler: (request, reply) =>
      replyWithSend(request, reply, (session) => sendStatus(session, media, request.body, lookupBucket)),
  });

  app.route({
    ...message.sendAlbumRoute,
    schema: message.sendAlbumRoute,
    handler: async (request, reply) => {
      const session = request.instance.session();
      const [album, ...items] = await runSend(request, () => sendAlbum(session, media, request.body));
      const toReply = (sent: typeof album) => toSendReply(request, session, sent);
      const [albumReply, ...itemReplies] = await Promise.all([toReply(album), ...items.map(toReply)]);
      return reply.code(201).send({ ...albumReply, items: itemReplies });
    },
  });
};

/** Messages that refer to another message, and the delivery status of a sent message. */
const referenceRoutes: RoutePlugin<Pick<Deps, 'store'>> = async (app, { store }) => {
  app.route({
    ...message.sendReactionRoute,
    schema: message.sendReactionRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => sendReaction(session, request.body)),
  });

  app.route({
    ...message.forwardMessageRoute,
    schema: message.forwardMessageRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => forwardMessage(session, request.body)),
  });

  app.route({
    ...message.pinMessageRoute,
    schema: message.pinMessageRoute,
    handler: (request, reply) => replyWithSend(request, reply, (session) => pinMessage(session, request.body)),
  });

  app.route({
    ...message.messageStatusRoute,
    schema: message.messageStatusRoute,
    handler: ({ instance, params }) => readStatusHistory(store.messages, instance.id, params.messageId),
  });
};
