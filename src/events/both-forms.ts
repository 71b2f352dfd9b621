// The content of a message for clients of both generations, where one result serves both: in events and in the list of
// chats.
import { isObject } from '../lib/json-object.ts';
import type { JsonObject, Message } from './events.ts';

export interface BothForms {
  message: JsonObject;
  /** Quotes and mentions. */
  contextInfo?: Record<string, unknown>;
  messageType: string;
}

/**
 * Returns the content with an extended text in two places: v2 clients read `conversation`, v1 clients read
 * `extendedTextMessage`. `contextInfo` is that of content of every kind.
 */
export function toBothForms({ message, messageType }: Pick<Message, 'message' | 'messageType'>): BothForms {
  const content = message[messageType];
  const contextInfo = (isObject(content) ? content.contextInfo : undefined) ?? message.contextInfo;
  const text = messageType === 'extendedTextMessage' && isObject(content) ? content.text : undefined;
  return {
    message: text === undefined ? message : { conversation: text, ...message },
    ...(isObject(contextInfo) ? { contextInfo } : {}),
    messageType: text === undefined ? messageType : 'conversation',
  };
}
