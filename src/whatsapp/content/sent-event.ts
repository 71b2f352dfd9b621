// Builds the event that records a sent message: `send.message`, or `send.message.update` for an edit.
import type { DomainEvent, Json, JsonObject, Message } from '../../events/events.ts';
import { isObject } from '../../lib/json-object.ts';

/** Returns the text or caption of an edit's new content, or undefined. */
export function editedText(content: Json | undefined): string | undefined {
  const { conversation, ...otherFields } = objectOrEmpty(content);
  if (typeof conversation === 'string') return conversation;
  for (const field of Object.values(otherFields)) {
    const { text, caption } = objectOrEmpty(field);
    if (typeof text === 'string') return text;
    if (typeof caption === 'string') return caption;
  }
  return undefined;
}

/**
 * Returns the event of a message that the gateway has sent. An edit is a protocol message with the key of the original
 * message and the new content (`editedMessage`).
 */
export function toSentEvent(message: Message): DomainEvent {
  const { key, editedMessage, timestampMs } = objectOrEmpty(message.message.protocolMessage);
  const { id } = objectOrEmpty(key);
  if (typeof id !== 'string' || editedMessage === undefined) return { type: 'send.message', message };
  const text = editedText(editedMessage);
  const edit = { key: { ...message.key, id }, message: objectOrEmpty(editedMessage), at: Number(timestampMs) };
  return { type: 'send.message.update', message, edited: { ...edit, ...(text === undefined ? {} : { text }) } };
}

const objectOrEmpty = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
