// Keeps warnings about parts of a request that a send left out. Warnings are kept apart from the message object,
// because the response of the request must contain them and the stored message must not.
import type { Message } from '../../events/events.ts';

export interface SendWarning {
  code: 'QUOTE_NOT_FOUND';
  /** Path of the field in the request body, for example `options.quoted`. */
  field: string;
  /** Says what was left out and what the caller can do about it. */
  message: string;
}

const warnings = new WeakMap<Message, readonly SendWarning[]>();

/** Attaches warnings to a message object. */
export function setWarnings(message: Message, list: readonly SendWarning[]): void {
  warnings.set(message, list);
}

/**
 * Returns the warnings that setWarnings() attached to this message object. A message read from the database has none.
 */
export const warningsOf = (message: Message): readonly SendWarning[] => warnings.get(message) ?? [];
