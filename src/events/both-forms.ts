// Converts the content of a message to the form that clients of Evolution API 1 (v1) and Evolution API 2 (v2) read. v1
// clients read the content as WhatsApp sent it. v2 clients read the text of an `extendedTextMessage` in `conversation`.
// v2 clients read disappearing messages and documents with a caption without the wrapper that WhatsApp puts around
// them. The wrapper of a view-once message stays for both, because it marks the message as view-once.
import { isObject } from '../lib/json-object.ts';
import { messageTypeOf } from './message-type.ts';

/** The content of a message, and the name of its main member. */
interface TypedContent {
  message: Readonly<Record<string, unknown>>;
  messageType: string;
}

/** Content for clients. `contextInfo` has the quote and the mentions; it is copied from the main member. */
export interface ClientContent extends TypedContent {
  contextInfo?: Record<string, unknown>;
}

/** Members whose value is a wrapper `{ message: … }` around other content. v2 clients do not read these members. */
const WRAPPERS: readonly string[] = ['ephemeralMessage', 'documentWithCaptionMessage'];

/** Returns the content inside of the wrappers, or `content` itself when it has no wrapper. */
function unwrap(content: TypedContent): TypedContent {
  const wrapper = WRAPPERS.includes(content.messageType) ? content.message[content.messageType] : undefined;
  const message = isObject(wrapper) && isObject(wrapper.message) ? wrapper.message : {};
  const messageType = messageTypeOf(message);
  return messageType === 'unknown' ? content : unwrap({ message, messageType });
}

/**
 * Returns the content for events and lists of chats, in a form that both v1 and v2 clients can read. A text is in
 * `conversation` and, when WhatsApp sent it there, in `extendedTextMessage`. Wrapped content is there twice: inside of
 * its wrapper and beside the wrapper.
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

/** Like toBothForms(), but for v2 clients alone: without `extendedTextMessage`. */
export function toFlatForm(stored: TypedContent): ClientContent {
  const { message, ...others } = toBothForms(stored);
  const { extendedTextMessage: _, ...flat } = message;
  return { message: flat, ...others };
}

/** The types under which messages are stored, by the type that clients see. Only types with several stored types. */
const STORED_TYPES = new Map([
  ['conversation', ['conversation', 'extendedTextMessage']],
  ['documentMessage', ['documentMessage', 'documentWithCaptionMessage']],
]);

/**
 * Returns the stored types of the messages to which toBothForms() gives the type `messageType`. Disappearing messages
 * are left out, because all of them have the stored type `ephemeralMessage`.
 */
export const storedTypesOf = (messageType: string): readonly string[] => STORED_TYPES.get(messageType) ?? [messageType];
