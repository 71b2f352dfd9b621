// Builds the event that records a sent message: `send.message`, or `send.message.update` for an edit.
import type { DomainEvent, Json, JsonObject, Message } from '../../events/events.ts';
import { isObject } from '../../lib/json-object.ts';

/** Returns the text or caption of the new content of an edit; undefined when the content has neither. */
export function editedTextIn(content: Json | undefined): string | undefined {
  const { conversation, ...otherFields } = objectOrEmpty(content);
  if (typeof conversation === 'string') return conversation;
  // Content other than plain text is an object, such as `extendedTextMessage` or `imageMessage`.
  for (const field of Object.values(otherFields)) {
    const { text, caption } = objectOrEmpty(field);
    if (typeof text === 'string') return text;
    if (typeof caption === 'string') return caption;
  }
  return undefined;
}

/**
 * Returns the event of a message that the gateway has sent. An edit is a protocol message that contains the key of the
 * original message (`key`) and the new content (`editedMessage`).
 */
export function toSentEvent(message: Message): DomainEvent {
  const { key, editedMessage, timestampMs } = objectOrEmpty(message.message.protocolMessage);
  const { id } = objectOrEmpty(key);
  if (typeof id !== 'string' || editedMessage === undefined) return { type: 'send.message', message };
  const text = editedTextIn(editedMessage);
  // The original message is in the same chat and has the same author as the edit, so the keys differ only in the id.
  const edit = { key: { ...message.key, id }, message: objectOrEmpty(editedMessage), at: Number(timestampMs) };
  return { type: 'send.message.update', message, edited: { ...edit, ...(text === undefined ? {} : { text }) } };
}

const objectOrEmpty = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
