// Sends a text (interface §4.3). The content is always an extendedTextMessage, also without preview and quote
// (interface §2.2).
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface TextInput {
  number: string;
  textMessage: { text: string };
  options?: SendOptions & {
    /** False sends a URL without a preview of its page. */
    linkPreview?: boolean;
  };
}

/**
 * Resolves with the recorded message. Throws as send(), and INVALID_REQUEST for a blank text. A text with a URL waits
 * up to a few seconds for its preview.
 */
export async function sendText(session: Session, { number, textMessage, options }: TextInput): Promise<Message> {
  // Half a surrogate pair, left when a text is cut at a length, is invalid UTF-8. The receiver may reject the whole
  // message.
  const text = textMessage.text.toWellFormed();
  if (text.trim() === '')
    throw new GatewayError('INVALID_REQUEST', [['The "text" cannot be empty']], { certain: true });
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
