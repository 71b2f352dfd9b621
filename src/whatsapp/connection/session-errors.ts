// What becomes of an error in one session: it ends the session with a cause, or leaves one item out. Each is logged and counted.
import type { Logger } from 'pino';
import { MALFORMED } from '../baileys/connection-update.ts';
import type { ErrorScope, SessionErrors } from '../baileys/patches/error-containment.ts';
import type { SendObserver, Session } from '../session.ts';

export interface SessionErrorsDeps {
  log: Logger;
  observer: SendObserver | undefined;
  session: () => Pick<Session, 'ended'> & {
    /** Ends it with a close code and a reason. */
    fail(code: number, reason: string): void;
  };
}

/** Why a session ended, by what the error was confined to. */
const REASONS: Record<ErrorScope, string> = {
  frame: 'the platform sent a frame that could not be read',
  stanza: 'the platform sent a stanza that could not be handled',
  listener: 'an event could not be handled',
  message: 'a message could not be handled',
  event: 'an event could not be handled',
  escaped: 'an error in the session was not handled',
};

/** Returns what a session does about its errors. */
export function createSessionErrors({ log, observer, session }: SessionErrorsDeps): SessionErrors {
  return {
    fail(err, confined) {
      // Work that goes on when the socket is gone fails, and nothing follows from that.
      if (session().ended.aborted) return log.debug({ err, confined }, 'session.error.late');
      observer?.onErrorContained?.(confined);
      log.warn({ err, confined }, 'session.error.contained');
      session().fail(MALFORMED, REASONS[confined]);
    },
    skip(err, confined) {
      observer?.onErrorContained?.(confined);
      log.warn({ err, confined }, 'session.item.skipped');
    },
  };
}
