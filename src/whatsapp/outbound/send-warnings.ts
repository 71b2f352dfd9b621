// What a send left out of what was asked for. It belongs to the answer and not to the message, which is stored and told as it went out.
import type { Message } from '../../events/events.ts';

export interface SendWarning {
  code: 'QUOTE_NOT_FOUND';
  /** Field of the request that it is about, in the nested form. */
  field: string;
  /** What happened and what to do. */
  message: string;
}

const warnings = new WeakMap<Message, readonly SendWarning[]>();

/** Notes what was left out of a message that is about to be sent. */
export function setWarnings(message: Message, noted: readonly SendWarning[]): void {
  if (noted.length > 0) warnings.set(message, noted);
}

/** What was left out of a message that this process sent; nothing for any other. */
export const warningsOf = (message: Message): readonly SendWarning[] => warnings.get(message) ?? [];
