// Sends a text (interface §4.3). Always an extendedTextMessage, also without preview and quote (interface §2.2).
import type { Message } from '../../events.ts';
import type { Session } from '../session.ts';
import { type SendOptions, send } from './send.ts';

export interface TextInput {
  number: string;
  textMessage: { text: string };
  options?: SendOptions & {
    /** No preview is made yet: false is what everybody gets. */
    linkPreview?: boolean;
  };
}

/** Resolves with the recorded message; errors as send(). */
export function sendText(session: Session, { number, textMessage, options }: TextInput): Promise<Message> {
  return send(session, {
    number,
    options,
    presence: 'composing',
    content: (contextInfo) => ({
      extendedTextMessage: { text: textMessage.text, ...(contextInfo ? { contextInfo } : {}) },
    }),
  });
}
