// Operations on chats and on their stored messages.
import type { Message } from '../../events/events.ts';
import { archiveChat, markChatUnread } from '../../whatsapp/chat/archive.ts';
import { setDisappearingTimer } from '../../whatsapp/chat/disappearing-messages.ts';
import { fetchHistory } from '../../whatsapp/chat/fetch-history.ts';
import { type ChatDirectory, findChat, findChats } from '../../whatsapp/chat/list.ts';
import { muteChat, pinChat } from '../../whatsapp/chat/pin-and-mute.ts';
import { sendPresence } from '../../whatsapp/chat/send-presence.ts';
import { type Base64Input, openAsBase64 } from '../../whatsapp/media/base64.ts';
import type { OpenFile } from '../../whatsapp/media/encrypted-spool.ts';
import { deleteForEveryone } from '../../whatsapp/message/delete.ts';
import { updateMessage } from '../../whatsapp/message/edit.ts';
import { findMessages, findStatuses, type MessageArchive } from '../../whatsapp/message/find.ts';
import { markMessagesAsRead } from '../../whatsapp/message/mark-read.ts';
import { starMessage } from '../../whatsapp/message/star.ts';
import { findAcceptedMessage } from '../../whatsapp/outbound/idempotent-send.ts';
import { toSentMessage } from '../../whatsapp/outbound/send-result.ts';
import { abortOnClose } from '../abort-on-close.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { sendFile } from '../file-response.ts';
import * as chat from '../schemas/chat.ts';
import type { RoutePlugin } from '../type-provider.ts';
import { baseUrl } from './root.ts';

export const chatRoutes: RoutePlugin<Pick<AppDeps, 'config' | 'store' | 'files' | 'media'>> = async (app, deps) => {
  await messageRoutes(app, {});
  await markRoutes(app, {});
  await chatSettingsRoutes(app, {});
  await searchRoutes(app, deps);
  await fileRoutes(app, deps);
};

/** Presence in a chat, and edits and deletions of sent messages. */
const messageRoutes: RoutePlugin = async (app) => {
  app.route({
    ...chat.sendPresenceRoute,
    schema: chat.sendPresenceRoute,
    handler: async ({ instance, body }, reply) => reply.code(201).send(await sendPresence(instance.session(), body)),
  });

  app.route({
    ...chat.updateMessageRoute,
    schema: chat.updateMessageRoute,
    handler: async ({ instance, body }) => {
      const session = instance.session();
      // An earlier request with the same idempotency key can have sent the edit already. updateMessage() would check
      // the edit again, and could refuse it because the message is too old by now.
      return toSentMessage((await findAcceptedMessage(session)) ?? (await updateMessage(session, body)));
    },
  });

  app.route({
    ...chat.deleteMessageForEveryoneRoute,
    schema: chat.deleteMessageForEveryoneRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(toSentMessage(await deleteForEveryone(instance.session(), body))),
  });
};

/** Marks messages as read, and chats as archived or unread. Requests older messages. */
const markRoutes: RoutePlugin = async (app) => {
  app.route({
    ...chat.markMessageAsReadRoute,
    schema: chat.markMessageAsReadRoute,
    handler: async ({ instance, body }, reply) => {
      await markMessagesAsRead(instance.session(), body.readMessages);
      return reply.code(201).send({ message: 'Read messages', read: 'success' });
    },
  });

  app.route({
    ...chat.fetchHistoryRoute,
    schema: chat.fetchHistoryRoute,
    handler: ({ instance, body }) => fetchHistory(instance.session(), body),
  });

  app.route({
    ...chat.archiveChatRoute,
    schema: chat.archiveChatRoute,
    handler: async ({ instance, body }, reply) => {
      const chatId = await archiveChat(instance.session(), body);
      return reply.code(201).send({ chatId, archived: body.archive });
    },
  });

  app.route({
    ...chat.markChatUnreadRoute,
    schema: chat.markChatUnreadRoute,
    handler: async ({ instance, body }, reply) => {
      const chatId = await markChatUnread(instance.session(), body);
      return reply.code(201).send({ chatId, markedChatUnread: true });
    },
  });
};

/**
 * Changes settings that all devices of the account share: pinned chats, muted chats, disappearing-message timers of
 * chats, and starred messages.
 */
const chatSettingsRoutes: RoutePlugin = async (app) => {
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
      const chatId = await setDisappearingTimer(instance.session(), body);
      return reply.code(201).send({ chatId, expiration: body.expiration });
    },
  });
};

/** Searches in the stored messages and chats, also while the instance is not connected. */
const searchRoutes: RoutePlugin<Pick<AppDeps, 'config' | 'store' | 'files'>> = async (
  app,
  { config, store, files },
) => {
  const { messages, authKeys, contacts } = store;
  const toArchive = (instance: AppInstance): MessageArchive => ({ instance, messages, authKeys, contacts });

  app.route({
    ...chat.findStatusMessageRoute,
    schema: chat.findStatusMessageRoute,
    handler: ({ instance, body }) => findStatuses(toArchive(instance), body),
  });

  app.route({
    ...chat.findMessagesRoute,
    schema: { ...chat.findMessagesRoute, response: { 200: chat.StoredMessagePage } },
    handler: (request) => {
      const { instance, body, rewritten } = request;
      const linkTo = (message: Message) => {
        const path = files.linkTo(instance, message);
        return path && baseUrl(config, request) + path;
      };
      // `dialect` is the form of the response: that of Evolution API 1 (v1) or 2 (v2). Only a v2 page contains the
      // total number of messages, which costs another query.
      const isCounted = rewritten?.dialect === 'v2';
      return findMessages({ ...toArchive(instance), linkTo }, body, { isCounted });
    },
  });

  app.route({
    ...chat.findChatsRoute,
    schema: chat.findChatsRoute,
    handler: ({ instance }) => findChats(toDirectory(instance, store), {}),
  });
  app.route({
    ...chat.findChatsPostRoute,
    schema: chat.findChatsPostRoute,
    handler: ({ instance, body }) => findChats(toDirectory(instance, store), body),
  });

  app.route({
    ...chat.findChatByRemoteJidRoute,
    schema: chat.findChatByRemoteJidRoute,
    handler: ({ instance, query }) => findChat(toDirectory(instance, store), query.remoteJid),
  });
};

/** The files of messages as base64. */
const fileRoutes: RoutePlugin<Pick<AppDeps, 'config' | 'files' | 'media'>> = async (app, { config, files, media }) => {
  app.route({
    ...chat.getBase64FromMediaMessageRoute,
    // No response schema: openAsBase64() returns the response as JSON text.
    schema: { ...chat.getBase64FromMediaMessageRoute, response: {} },
    handler: async ({ instance, body }, reply) => {
      const signal = abortOnClose(reply);
      const instanceId = instance.id;
      const deps = {
        instanceId,
        files,
        toMp4: (readSound: () => Promise<Buffer>) => media.toMp4(instanceId, readSound),
        session: () => instance.session(),
        signal,
        maxBytes: config.mediaLimit,
      };
      let file: OpenFile;
      try {
        // The message content in the body can have any form. openAsBase64() validates it like content from WhatsApp.
        file = await openAsBase64(deps, body as Base64Input);
      } catch (error) {
        // A download that ends because the caller has closed the connection is not a failure of the gateway.
        throw signal.aborted ? signal.reason : error;
      }
      return sendFile(reply.code(201).type('application/json; charset=utf-8'), file);
    },
  });
};

/** The instance with the stores that its lists of chats and contacts are read from. */
export const toDirectory = (
  { id, name }: AppInstance,
  { messages, authKeys, chats, contacts }: AppDeps['store'],
): ChatDirectory => ({ instance: { id, name }, messages, authKeys, chats, contacts });
