// Sends a poll. The votes are decrypted and counted in content/poll.ts. Decision D-094.
import { invalidRequestError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface PollInput {
  /** The recipient. */
  number: string;
  pollMessage: {
    /** The question. */
    name: string;
    /** Maximum number of options that a voter can select; 0 means no maximum. Default: 1. */
    selectableCount?: number;
    /** The options. */
    values: string[];
  };
  options?: SendOptions;
}

/**
 * Resolves with the sent message. Throws the errors of send(), and INVALID_REQUEST for duplicate options and for a
 * selectableCount above the number of options.
 */
export async function sendPoll(session: Session, { number, pollMessage, options }: PollInput): Promise<Message> {
  const { name, values, selectableCount = 1 } = pollMessage;
  if (new Set(values).size < values.length) throw invalidRequestError('pollMessage.values contains duplicate item');
  if (selectableCount > values.length)
    throw invalidRequestError(`pollMessage.selectableCount must be less than or equal to ${values.length}`);
  // WhatsApp has a separate messageType for polls with a single choice (Baileys rc14, lib/Utils/messages.js).
  const kind = selectableCount === 1 ? 'pollCreationMessageV3' : 'pollCreationMessage';
  return send(session, {
    number,
    kind,
    options,
    presence: 'composing',
    content: (contextInfo) => {
      const poll = {
        name,
        options: values.map((optionName) => ({ optionName })),
        selectableOptionsCount: selectableCount,
        ...(contextInfo ? { contextInfo } : {}),
      };
      return { [kind]: poll };
    },
  });
}
