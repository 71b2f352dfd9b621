// Handles the errors of a session that baileys/patches/error-containment.ts keeps from ending the process. `fail` logs
// and counts an error and closes the session; after the end of the session, it only logs the error. `skip` logs and
// counts an error that affects only one item, such as a message. Decision D-151.
import type { Logger } from 'pino';
import { MALFORMED } from '../baileys/connection-update.ts';
import type { ErrorScope, SessionErrors } from '../baileys/patches/error-containment.ts';
import type { Session, SessionObserver } from '../session.ts';

export interface SessionErrorsDeps {
  log: Logger;
  observer: SessionObserver | undefined;
  /** Returns the session, which is created after the error handlers. */
  session: () => Pick<Session, 'ended'> & {
    /** Closes the session with a close code and a reason. */
    fail(code: number, reason: string): void;
  };
}

/** The close reason for each scope. The scope of an error is the smallest unit that the error affects. */
const REASONS: Record<ErrorScope, string> = {
  frame: 'WhatsApp sent a frame that could not be read',
  stanza: 'WhatsApp sent a stanza that could not be handled',
  listener: 'an event could not be handled',
  message: 'a message could not be handled',
  event: 'an event could not be handled',
  escaped: 'an error in the session was not handled',
};

/** Returns the error handlers of one session. */
export function createSessionErrors({ log, observer, session }: SessionErrorsDeps): SessionErrors {
  return {
    fail(err, scope) {
      // Work that continues after the end of the session is expected to fail.
      if (session().ended.aborted) {
        log.debug({ err, scope }, 'session.error.ignored');
        return;
      }
      observer?.onErrorContained?.(scope);
      log.warn({ err, scope }, 'session.error.contained');
      session().fail(MALFORMED, REASONS[scope]);
    },
    skip(err, scope) {
      observer?.onErrorContained?.(scope);
      log.warn({ err, scope }, 'session.item.skipped');
    },
  };
}
