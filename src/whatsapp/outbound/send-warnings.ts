// Warnings about parts of a request that a send left out. They belong to the response; the stored message does not
// contain them.
import type { Message } from '../../events/events.ts';

export interface SendWarning {
  code: 'QUOTE_NOT_FOUND';
  /** Field of the request, in the nested form. */
  field: string;
  /** What happened and what to do. */
  message: string;
}

const warnings = new WeakMap<Message, readonly SendWarning[]>();

/** Sets the warnings of a message that is about to be sent. */
export function setWarnings(message: Message, list: readonly SendWarning[]): void {
  warnings.set(message, list);
}

/** Returns the warnings of a message that this process sent. */
export const warningsOf = (message: Message): readonly SendWarning[] => warnings.get(message) ?? [];
