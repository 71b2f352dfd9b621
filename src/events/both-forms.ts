// Converts the content of a message to the form that clients of Evolution API 1 (v1) and Evolution API 2 (v2) read. v1
// clients read the content as WhatsApp sent it. v2 clients read the text of an `extendedTextMessage` in `conversation`.
// They read a disappearing message, and a document with a caption, without the wrapper that WhatsApp puts around it.
// The wrapper of a view-once message stays, because it marks the message.
import { isObject } from '../lib/json-object.ts';
import { messageTypeOf } from './message-type.ts';

/** The content of a message, and the name of its main member. */
interface TypedContent {
  message: Readonly<Record<string, unknown>>;
  messageType: string;
}

/** Content for clients. `contextInfo` has the quote and the mentions, for content of every type. */
export interface ClientContent extends TypedContent {
  contextInfo?: Record<string, unknown>;
}

/** Members whose value contains other content, in its own member `message`. v2 clients do not read these members. */
const WRAPPERS: readonly string[] = ['ephemeralMessage', 'documentWithCaptionMessage'];

/** Returns the content inside of the wrappers, or the content itself when it has none. */
function unwrap(content: TypedContent): TypedContent {
  const wrapper = WRAPPERS.includes(content.messageType) ? content.message[content.messageType] : undefined;
  const message = isObject(wrapper) && isObject(wrapper.message) ? wrapper.message : {};
  const messageType = messageTypeOf(message);
  return messageType === 'unknown' ? content : unwrap({ message, messageType });
}

/**
 * Returns the content for events and lists of chats, in a form that both v1 and v2 clients can read. A text is in
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

/** By the type that clients see: the types under which the messages are stored, if there are several. */
const STORED_TYPES = new Map([
  ['conversation', ['conversation', 'extendedTextMessage']],
  ['documentMessage', ['documentMessage', 'documentWithCaptionMessage']],
]);

/**
 * Returns the stored types of the messages to which toBothForms() gives the type `messageType`. Disappearing messages
 * are left out, because all of them have the stored type `ephemeralMessage`.
 */
export const storedTypesOf = (messageType: string): readonly string[] => STORED_TYPES.get(messageType) ?? [messageType];
