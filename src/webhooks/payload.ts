// Domain event → `data` of the envelope, in the shapes clients of the peers parse: the v2 keys, and the v1
// keys beside them wherever the names differ. Pure.
import type { Contact, DomainEvent, Edited, JsonObject, Message, MessageKey } from '../events.ts';

/** The instance as payloads name it: v2 clients read `instanceId`, v1 clients read the name as `owner`. */
export interface Owner {
  id: string;
  name: string;
}

/** JSON once stringified: members that are undefined disappear. */
export type Data = Record<string, unknown> | readonly Record<string, unknown>[] | null;

type Of<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>;

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
      return toStatus(event, owner);
    case 'send.message.update':
      return { ...toEdit(event.edited, owner), editId: event.message.key.id };
    case 'messages.edited':
      return toEdit(event, owner);
    case 'messages.delete':
      return { ...toIdentity(event.key, owner), status: 'DELETED', datetime: event.at };
    case 'messages.undecryptable': {
      const { key, pushName, messageTimestamp, reason } = event;
      return { key, pushName, messageTimestamp, reason, instanceId: owner.id, owner: owner.name };
    }
    case 'contacts.upsert':
    case 'contacts.update':
      return event.contacts.map((contact) => toContact(contact, owner));
    case 'presence.update':
      return { id: event.id, presences: event.presences };
    case 'logout.instance':
    case 'remove.instance':
      return null;
  }
}

function toQrcode(event: Of<'qrcode.updated'>, owner: Owner): Data {
  if ('limitReached' in event) return { message: 'QR code limit reached, please login again', statusCode: 500 };
  const { code, pairingCode, base64, count } = event;
  return { qrcode: { instance: owner.name, pairingCode, code, base64, count } };
}

function toConnection({ type: _, retryAt, ...rest }: Of<'connection.update'>, owner: Owner): Data {
  return {
    instance: owner.name,
    ...rest,
    retryAt: retryAt === undefined ? undefined : new Date(retryAt).toISOString(),
  };
}

/** Text is `conversation` for v2 clients; `extendedTextMessage` stays beside it for v1 clients, which never saw it converted. */
function toMessage(
  { key, pushName, message, messageType, messageTimestamp, status, source }: Message,
  owner: Owner,
): Data {
  const content = message[messageType];
  const context = (isObject(content) ? content.contextInfo : undefined) ?? message.contextInfo;
  const text = messageType === 'extendedTextMessage' && isObject(content) ? content.text : undefined;
  return {
    key,
    pushName,
    message: text === undefined ? message : { conversation: text, ...message },
    contextInfo: context,
    messageType: text === undefined ? messageType : 'conversation',
    messageTimestamp,
    status,
    instanceId: owner.id,
    owner: owner.name,
    source,
  };
}

function toStatus({ key, status, at, code, reason }: Of<'messages.update'>, owner: Owner): Data {
  return { ...toIdentity(key, owner), status, code, reason, datetime: at };
}

/** Which message of whom, by every name that clients know. */
function toIdentity(key: MessageKey, owner: Owner): Record<string, unknown> {
  const { id, remoteJid, fromMe, participant } = key;
  return { keyId: id, id, remoteJid, fromMe, participant, key, instanceId: owner.id, owner: owner.name };
}

/** The platform's own protocol message, as the peers post it. */
function toEdit({ key, message, at }: Edited, owner: Owner): Record<string, unknown> {
  return {
    key,
    type: 'MESSAGE_EDIT',
    editedMessage: message,
    timestampMs: String(at),
    keyId: key.id,
    instanceId: owner.id,
    owner: owner.name,
  };
}

function toContact({ jid, lid, pushName }: Contact, owner: Owner): Record<string, unknown> {
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
