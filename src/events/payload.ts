// Domain event → `data` of the envelope, in the shapes clients of the peers parse: the v2 keys, and the v1
// keys beside them wherever the names differ. Pure; the shapes are beside this file, by area.
import type { DomainEvent } from './events.ts';
import { toAssociation, toChat, toContact, toLabel } from './payload/chat.ts';
import { toCall, toJoinRequest, toParticipants } from './payload/group.ts';
import { toClosed, toConnection, toProgress, toQrcode, toRestricted, toStartup } from './payload/instance.ts';
import { toDeleted, toEdit, toMessage, toPollUpdate, toStar, toStatus, toUndecryptable } from './payload/message.ts';
import type { Data, Owner } from './payload/shape.ts';

/** The `data` member for an event; null for logout.instance and remove.instance. */
export function toData(event: DomainEvent, owner: Owner): Data {
  switch (event.type) {
    case 'qrcode.updated':
      return toQrcode(event, owner);
    case 'connection.update':
      return toConnection(event, owner);
    case 'messages.upsert':
    case 'send.message':
      return toMessage(event.message, owner);
    case 'messages.update':
      if ('starred' in event) return toStar(event, owner);
      return 'vote' in event ? toPollUpdate(event, owner) : toStatus(event, owner);
    case 'messages.set':
      return event.messages.map((message) => toMessage(message, owner));
    case 'send.message.update':
      return { ...toEdit(event.edited, owner), editId: event.message.key.id };
    case 'messages.edited':
      return toEdit(event, owner);
    case 'messages.delete':
      return toDeleted(event, owner);
    case 'messages.undecryptable':
      return toUndecryptable(event, owner);
    case 'contacts.upsert':
    case 'contacts.update':
      return event.contacts.map((contact) => toContact(contact, owner));
    case 'chats.set':
    case 'chats.upsert':
    case 'chats.update':
      return event.chats.map((chat) => toChat(chat, owner));
    case 'chats.delete':
      return event.jids;
    case 'labels.edit':
      return toLabel(event, owner);
    case 'labels.association':
      return toAssociation(event, owner);
    case 'presence.update':
      return { id: event.id, lid: event.lid, presences: event.presences };
    case 'groups.upsert':
    case 'groups.update':
      return [{ ...event.group }];
    case 'group-participants.update':
      return toParticipants(event);
    case 'group.join-request':
      return toJoinRequest(event);
    case 'call':
      return toCall(event);
    case 'instance.restricted':
      return toRestricted(event, owner);
    case 'history.progress':
      return toProgress(event, owner);
    case 'application.startup':
      return toStartup(event, owner);
    case 'status.instance':
      return toClosed(event, owner);
    case 'instance.create':
    case 'instance.delete':
      return { instanceName: owner.name, instanceId: owner.id };
    case 'logout.instance':
    case 'remove.instance':
      return null;
  }
}
