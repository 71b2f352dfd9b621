// Messages that could not be handled: each is logged, counted, reported once and never tried again.
import type { DomainEvent } from '../../events/events.ts';
import type { KnownJids } from '../address/message-key.ts';
import type { SessionErrors } from '../baileys/patches/error-containment.ts';
import { type Envelope, toUnprocessable } from './unprocessable-event.ts';

export interface UnprocessableMessagesDeps {
  incidents: SessionErrors;
  /** What is known of these addresses. */
  names: (jids: Set<string>) => Promise<KnownJids>;
  /** Resolves with false when the events could not be stored. */
  publish: (events: DomainEvent[]) => Promise<boolean>;
}

/** Reports a message because of `err`. Resolves with false when the report could not be stored: the message must be kept. */
export type UnprocessableMessages = (err: unknown, message: Envelope) => Promise<boolean>;

export function createUnprocessableMessages({
  incidents,
  names,
  publish,
}: UnprocessableMessagesDeps): UnprocessableMessages {
  return async (err, message) => {
    incidents.skip(err, 'message');
    const { remoteJid, participant } = message.key;
    const jids = new Set([remoteJid, participant].filter((jid) => typeof jid === 'string'));
    const report = toUnprocessable(message, await names(jids));
    return report === undefined || publish([report]);
  };
}
