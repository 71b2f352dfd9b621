// Payloads about messages: received, sent, edited, deleted, unreadable, and what becomes of them. Pure.
import type { JsonObject, Message, MessageEdit, MessageKey, Vote } from '../events.ts';
import type { Data, Of, Owner } from './shape.ts';

/**
 * Text is `conversation` for v2 clients; `extendedTextMessage` stays beside it for v1 clients, which never saw it converted. A message
 * with a file has the link to it as `message.mediaUrl`.
 */
export function toMessage(whole: Message, owner: Owner): Record<string, unknown> {
  const { key, pushName, message, messageType, messageTimestamp, status, source } = whole;
  const mediaUrl = owner.linkTo?.(whole);
  const content = message[messageType];
  const context = (isObject(content) ? content.contextInfo : undefined) ?? message.contextInfo;
  const text = messageType === 'extendedTextMessage' && isObject(content) ? content.text : undefined;
  return {
    key,
    pushName,
    message: {
      ...(text === undefined ? {} : { conversation: text }),
      ...message,
      ...(mediaUrl === undefined ? {} : { mediaUrl }),
    },
    contextInfo: context,
    messageType: text === undefined ? messageType : 'conversation',
    messageTimestamp,
    status,
    instanceId: owner.id,
    owner: owner.name,
    source,
  };
}

export function toUndecryptable(event: Of<'messages.undecryptable'>, owner: Owner): Data {
  const { key, pushName, messageTimestamp, reason } = event;
  return { key, pushName, messageTimestamp, reason, instanceId: owner.id, owner: owner.name };
}

type Update = Of<'messages.update'>;

export function toStatus(
  { key, status, at, code, reason }: Exclude<Update, { vote: Vote } | { starred: boolean }>,
  owner: Owner,
): Data {
  return { ...toIdentity(key, owner), status, code, reason, datetime: at };
}

/** The result so far, as the peers post it, and the vote that changed it. */
export function toPollUpdate({ key, at, pollUpdates, vote }: Extract<Update, { vote: Vote }>, owner: Owner): Data {
  const { id, voter, voterAlt, options } = vote;
  return { ...toIdentity(key, owner), pollUpdates, vote: { id, voter, lid: voterAlt, options }, datetime: at };
}

export function toStar({ key, at, starred }: Extract<Update, { starred: boolean }>, owner: Owner): Data {
  return { ...toIdentity(key, owner), starred, datetime: at };
}

export function toDeleted({ key, at, scope }: Of<'messages.delete'>, owner: Owner): Data {
  return { ...toIdentity(key, owner), status: 'DELETED', scope, datetime: at };
}

/** Which message of whom, by every name that clients know. */
function toIdentity(key: MessageKey, owner: Owner): Record<string, unknown> {
  const { id, remoteJid, fromMe, participant } = key;
  return { keyId: id, id, messageId: id, remoteJid, fromMe, participant, key, instanceId: owner.id, owner: owner.name };
}

/** The platform's own protocol message, as the peers post it. */
export function toEdit({ key, message, at }: MessageEdit, owner: Owner): Record<string, unknown> {
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
