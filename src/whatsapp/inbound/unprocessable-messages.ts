// Messages that could not be handled: each is logged, counted, reported once and never tried again.
import type { DomainEvent } from '../../events/events.ts';
import type { Names } from '../address/message-key.ts';
import type { Incidents } from '../baileys/patches/error-containment.ts';
import { type Envelope, toUnprocessable } from './unprocessable-event.ts';

export interface SetAsideParts {
  incidents: Incidents;
  /** What is known of these addresses. */
  names: (jids: Set<string>) => Promise<Names>;
  /** Resolves with false when the events could not be stored. */
  publish: (events: DomainEvent[]) => Promise<boolean>;
}

/** Reports a message because of `err`. Resolves with false when the report could not be stored: the message must be kept. */
export type SetAside = (err: unknown, message: Envelope) => Promise<boolean>;

export function createSetAside({ incidents, names, publish }: SetAsideParts): SetAside {
  return async (err, message) => {
    incidents.skip(err, 'message');
    const { remoteJid, participant } = message.key;
    const jids = new Set([remoteJid, participant].filter((jid) => typeof jid === 'string'));
    const report = toUnprocessable(message, await names(jids));
    return report === undefined || publish([report]);
  };
}
