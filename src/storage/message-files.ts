// Updates the location of a message's encrypted file, which changes when the phone uploads it again.
import type { JsonObject, MessageKey } from '../events/events.ts';
import type { Database, Work } from './database.ts';
import { rewriteMessages } from './message-changes.ts';
import type { FileLocation } from './storage.ts';

/** The content with a new location of its file, also inside wrappers; undefined when it has no file. */
export function withFileLocation(content: JsonObject, place: FileLocation): JsonObject | undefined {
  for (const [name, body] of Object.entries(content)) {
    if (!isObject(body)) continue;
    if (typeof body.mediaKey === 'string') return { ...content, [name]: { ...body, ...place } };
    const inner = isObject(body.message) ? withFileLocation(body.message, place) : undefined;
    if (inner) return { ...content, [name]: { ...body, message: inner } };
  }
  return undefined;
}

export function* setFileLocation(
  database: Database,
  instance: string,
  key: MessageKey,
  place: FileLocation,
): Work<void> {
  yield* rewriteMessages(database, instance, key, (message) => {
    const content = withFileLocation(message.message, place);
    return content && { ...message, message: content };
  });
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
