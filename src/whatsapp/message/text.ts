// Sends a text (interface §4.3). Always an extendedTextMessage, also without preview and quote (interface §2.2).
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface TextInput {
  number: string;
  textMessage: { text: string };
  options?: SendOptions & {
    /** False sends an address without a preview of its page. */
    linkPreview?: boolean;
  };
}

/**
 * Resolves with the recorded message; errors as send(), and INVALID_REQUEST for a text of blanks, which nobody could see. A text with
 * an address waits up to a few seconds for the preview of its page.
 */
export async function sendText(session: Session, { number, textMessage, options }: TextInput): Promise<Message> {
  // Half a surrogate pair, as cutting a text at a length leaves it, is no UTF-8: the receiver's parser may refuse the whole message.
  const text = textMessage.text.toWellFormed();
  if (text.trim() === '')
    throw new GatewayError('INVALID_REQUEST', [['The "text" cannot be empty']], { certain: true });
  return send(session, {
    number,
    options,
    kind: 'extendedTextMessage',
    presence: 'composing',
    content: async (contextInfo) => {
      const preview = options?.linkPreview === false ? undefined : await session.preview(text, session.instanceId);
      return { extendedTextMessage: { text, ...preview, ...(contextInfo ? { contextInfo } : {}) } };
    },
  });
}
