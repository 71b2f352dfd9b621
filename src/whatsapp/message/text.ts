// Sends a text. The messageType is always extendedTextMessage, even without a link preview or a quote. Decision D-019.
import { invalidRequestError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface TextInput {
  /** The recipient: a phone number, a username, or the JID of a chat. */
  number: string;
  textMessage: { text: string };
  options?: SendOptions & {
    /** False sends the text without a preview of the page that its URL refers to. Default: true. */
    linkPreview?: boolean;
  };
}

/**
 * Resolves with the sent message. Throws the errors of send(), and INVALID_REQUEST for a blank text. When the text has
 * a URL, fetching the preview can delay the message by a few seconds.
 */
export async function sendText(session: Session, { number, textMessage, options }: TextInput): Promise<Message> {
  const { text } = textMessage;
  if (text.trim() === '') throw invalidRequestError('The "text" cannot be empty');
  return send(session, {
    number,
    options,
    kind: 'extendedTextMessage',
    presence: 'composing',
    content: async (contextInfo) => {
      const preview = options?.linkPreview === false ? undefined : await session.fetchPreview(text, session.instanceId);
      return { extendedTextMessage: { text, ...preview, ...(contextInfo ? { contextInfo } : {}) } };
    },
  });
}
