// Chats, profile and privacy (interface §4.4): none is built yet.
import type { FastifyInstance } from 'fastify';
import * as chat from '../schemas/chat.ts';
import { registerPlanned } from './planned.ts';

export async function chatRoutes(app: FastifyInstance): Promise<void> {
  registerPlanned(app, [
    chat.sendPresenceRoute,
    chat.updateMessageRoute,
    chat.updateMessagePostRoute,
    chat.findStatusMessageRoute,
    chat.findMessagesRoute,
    chat.fetchProfilePictureUrlRoute,
    chat.updateProfileStatusRoute,
    chat.updatePrivacySettingsRoute,
    chat.updatePrivacySettingsPostRoute,
  ]);
}
