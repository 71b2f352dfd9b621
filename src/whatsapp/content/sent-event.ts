// Selects the event that records a sent message: a new message, or an edit of an earlier one.
import type { DomainEvent, Json, JsonObject, Message } from '../../events/events.ts';

/** Returns the text or caption of an edit's content, or undefined. */
export function editedText(content: Json | undefined): string | undefined {
  const { conversation, ...kinds } = members(content);
  if (typeof conversation === 'string') return conversation;
  for (const body of Object.values(kinds)) {
    const { text, caption } = members(body);
    if (typeof text === 'string') return text;
    if (typeof caption === 'string') return caption;
  }
  return undefined;
}

export function toSentEvent(message: Message): DomainEvent {
  const { key, editedMessage, timestampMs } = members(message.message.protocolMessage);
  const { id } = members(key);
  if (typeof id !== 'string' || editedMessage === undefined) return { type: 'send.message', message };
  const text = editedText(editedMessage);
  const edited = { key: { ...message.key, id }, message: members(editedMessage), at: Number(timestampMs) };
  return { type: 'send.message.update', message, edited: { ...edited, ...(text === undefined ? {} : { text }) } };
}

const members = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
