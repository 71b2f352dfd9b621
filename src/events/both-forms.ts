// The content of a message as clients of both generations read it. v2 clients read the text of an `extendedTextMessage`
// in `conversation`, and disappearing messages and documents with a caption without the wrapper that WhatsApp puts
// around them. v1 clients read the content as WhatsApp sent it. View-once wrappers stay, because their content is
// marked by them.
import { isObject } from '../lib/json-object.ts';
import { messageTypeOf } from './message-type.ts';

/** The content of a message, and the name of its main member. */
interface TypedContent {
  message: Readonly<Record<string, unknown>>;
  messageType: string;
}

/** Content for clients. `contextInfo` has the quotes and mentions of content of every kind. */
export interface ClientContent extends TypedContent {
  contextInfo?: Record<string, unknown>;
}

/** The members that contain other content in `message`, and that v2 clients do not read. */
const WRAPPERS: readonly string[] = ['ephemeralMessage', 'documentWithCaptionMessage'];

/** Returns the content inside of the wrappers, or the content itself when it has none. */
function unwrap(content: TypedContent): TypedContent {
  const wrapper = WRAPPERS.includes(content.messageType) ? content.message[content.messageType] : undefined;
  const message = isObject(wrapper) && isObject(wrapper.message) ? wrapper.message : {};
  const messageType = messageTypeOf(message);
  return messageType === 'unknown' ? content : unwrap({ message, messageType });
}

/**
 * Returns the content of an event or of a listed chat, which clients of both generations read. A text is in
 * `conversation` and, when WhatsApp sent it there, in `extendedTextMessage`. Wrapped content is inside of its wrapper
 * and beside it.
 */
export function toBothForms(stored: TypedContent): ClientContent {
  const { message, messageType } = unwrap(stored);
  const main = message[messageType];
  const isText = messageType === 'extendedTextMessage';
  return {
    message: {
      ...(isText && isObject(main) ? { conversation: main.text ?? '' } : {}),
      ...message,
      ...stored.message,
    },
    ...(isObject(main) && isObject(main.contextInfo) ? { contextInfo: main.contextInfo } : {}),
    messageType: isText ? 'conversation' : messageType,
  };
}

/** Returns the content for v2 clients alone: as toBothForms() does, but without `extendedTextMessage`. */
export function toFlatForm(stored: TypedContent): ClientContent {
  const { message, ...others } = toBothForms(stored);
  const { extendedTextMessage: _, ...flat } = message;
  return { message: flat, ...others };
}

/** The stored types of the messages that clients see with a type, where they are several. */
const STORED_TYPES = new Map([
  ['conversation', ['conversation', 'extendedTextMessage']],
  ['documentMessage', ['documentMessage', 'documentWithCaptionMessage']],
]);

/**
 * Returns the types under which the messages are stored that toBothForms() shows with a type. Disappearing messages are
 * left out, because the type of each of them is `ephemeralMessage`.
 */
export const storedTypesOf = (messageType: string): readonly string[] => STORED_TYPES.get(messageType) ?? [messageType];
