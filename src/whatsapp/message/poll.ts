// Sends a poll (contract §5.3.2). Votes are read and counted by events/poll.ts, with the secret that goes along.
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface PollInput {
  number: string;
  pollMessage: {
    name: string;
    /** How many options one person may choose; 0: any number. Default 1. */
    selectableCount?: number;
    values: string[];
  };
  options?: SendOptions;
}

/** Resolves with the recorded message; errors as send(), and INVALID_REQUEST for equal options and a count above their number. */
export async function sendPoll(session: Session, { number, pollMessage, options }: PollInput): Promise<Message> {
  const { name, values, selectableCount = 1 } = pollMessage;
  if (new Set(values).size < values.length) throw invalidRequest('values contains duplicate item');
  if (selectableCount > values.length)
    throw invalidRequest(`selectableCount must be less than or equal to ${values.length}`);
  // Polls with one answer have a kind of their own (rc14, lib/Utils/messages.js).
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
