// Payloads about chats and the people and labels in them. Pure.
import type { Chat, Contact } from '../events.ts';
import type { Data, Of, Owner } from './shape.ts';

export function toContact({ jid, lid, pushName }: Contact, owner: Owner): Record<string, unknown> {
  return {
    remoteJid: jid,
    id: jid,
    lid,
    pushName,
    profilePicUrl: null,
    profilePictureUrl: null,
    instanceId: owner.id,
    owner: owner.name,
  };
}

export function toChat(chat: Chat, owner: Owner): Record<string, unknown> {
  const { jid, lid, name, unread, lastMessageAt, archived, pinned, mutedUntil, ephemeral } = chat;
  return {
    remoteJid: jid,
    id: jid,
    lid,
    name,
    unreadMessages: unread,
    lastMsgTimestamp: lastMessageAt,
    archived,
    pinned,
    muteEndTime: mutedUntil,
    ephemeralExpiration: ephemeral,
    instanceId: owner.id,
    owner: owner.name,
  };
}

export function toLabel({ type: _, ...label }: Of<'labels.edit'>, owner: Owner): Data {
  return { ...label, instance: owner.name, instanceId: owner.id };
}

export function toAssociation(event: Of<'labels.association'>, owner: Owner): Data {
  const { action, jid, lid, labelId, messageId } = event;
  return { type: action, chatId: jid, lid, labelId, messageId, instance: owner.name, instanceId: owner.id };
}
