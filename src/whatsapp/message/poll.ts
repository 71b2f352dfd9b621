// Sends a poll (interface §4.3). content/poll.ts decrypts and counts the votes with the secret that the message
// contains.
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface PollInput {
  number: string;
  pollMessage: {
    name: string;
    /** Maximum options per voter; 0 means no maximum. Default: 1. */
    selectableCount?: number;
    values: string[];
  };
  options?: SendOptions;
}

/**
 * Resolves with the recorded message. Throws as send(), and INVALID_REQUEST for duplicate options or a too large
 * selectableCount.
 */
export async function sendPoll(session: Session, { number, pollMessage, options }: PollInput): Promise<Message> {
  const { name, values, selectableCount = 1 } = pollMessage;
  if (new Set(values).size < values.length) throw invalidRequest('values contains duplicate item');
  if (selectableCount > values.length)
    throw invalidRequest(`selectableCount must be less than or equal to ${values.length}`);
  // Polls with a single choice use a message kind of their own (Baileys rc14, lib/Utils/messages.js).
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

const invalidRequest = (sentence: string) => new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });
