// Reports messages that could not be processed: logs and counts each of them, and publishes an event.
import type { DomainEvent } from '../../events/events.ts';
import type { KnownJids } from '../address/message-key.ts';
import type { SessionErrors } from '../baileys/patches/error-containment.ts';
import { type MessageEnvelope, toUnprocessable } from './unprocessable-event.ts';

export interface UnprocessableReporterDeps {
  errors: SessionErrors;
  /**
   * Looks up the alternate addresses of `jids`: the LIDs (ids that hide the number) of phone numbers, and the reverse.
   */
  lookupJids: (jids: Set<string>) => Promise<KnownJids>;
  /** Resolves with false when the events could not be stored. */
  publish: (events: DomainEvent[]) => Promise<boolean>;
}

/**
 * Reports a message whose processing failed with `err`. Resolves with false when the event could not be stored. The
 * caller must then keep the message in the inbound buffer.
 */
export type ReportUnprocessable = (err: unknown, message: MessageEnvelope) => Promise<boolean>;

/** Creates the function that reports messages of one session. */
export function createUnprocessableReporter({
  errors,
  lookupJids,
  publish,
}: UnprocessableReporterDeps): ReportUnprocessable {
  return async (err, message) => {
    // Logs and counts the message.
    errors.skip(err, 'message');
    const { remoteJid, participant } = message.key;
    const jids = new Set([remoteJid, participant].filter((jid) => typeof jid === 'string'));
    // Undefined when the key of the message cannot be read. No event is published then.
    const report = toUnprocessable(message, await lookupJids(jids));
    return report === undefined || publish([report]);
  };
}
