// Updates the location of a message's encrypted file. The location changes when the phone uploads the file again.
import type { JsonObject, MessageKey } from '../events/events.ts';
import { isObject } from '../lib/json-object.ts';
import { isCertainlyOtherAuthor } from './change-permissions.ts';
import type { Database, Work } from './database.ts';
import { rewriteMessages } from './message-changes.ts';
import type { FileLocation } from './storage.ts';

/**
 * Returns the content with a new location of its file, or undefined when the content has no file. Also finds a file
 * inside a wrapper (`ephemeralMessage.message`).
 */
export function withFileLocation(content: JsonObject, location: FileLocation): JsonObject | undefined {
  for (const [name, body] of Object.entries(content)) {
    if (!isObject(body)) continue;
    if (typeof body.mediaKey === 'string') return { ...content, [name]: { ...body, ...location } };
    const inner = isObject(body.message) ? withFileLocation(body.message, location) : undefined;
    if (inner) return { ...content, [name]: { ...body, message: inner } };
  }
  return undefined;
}

/**
 * Updates the file location of the stored message with this key. Does nothing if the message is missing or has no file.
 */
export function* setFileLocation(
  database: Database,
  instance: string,
  key: MessageKey,
  location: FileLocation,
): Work<void> {
  yield* rewriteMessages(database, instance, key, (message) => {
    // Two people in a chat can have used the same message id.
    if (isCertainlyOtherAuthor(message.key, key)) return undefined;
    const content = withFileLocation(message.message, location);
    return content && { ...message, message: content };
  });
}
