// Logs one line per send and reports the result to the session's observer. The log never contains the content or the
// recipient of a message.
import { GatewayError } from '../../errors.ts';
import { currentRequestId } from '../../lib/request-id.ts';
import type { Session } from '../session.ts';

export interface SendLog {
  /** Call this when the message is sent and stored. */
  logSent(messageId: string): void;
  /** Call this when the send failed. */
  logFailure(error: unknown): void;
}

/** Starts to measure the duration of a send. `kind` is the messageType of the message. */
export function startSendLog({ log, observer }: Pick<Session, 'log' | 'observer'>, kind: string): SendLog {
  const startedAt = performance.now();
  return {
    logSent(messageId) {
      const ms = performance.now() - startedAt;
      log.info({ requestId: currentRequestId(), message: messageId, kind, ms: Math.round(ms) }, 'message.sent');
      observer?.onSendEnd({ kind, outcome: 'sent', ms });
    },
    logFailure(error) {
      const ms = performance.now() - startedAt;
      const { code, certain, messageId } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
      const fields = { requestId: currentRequestId(), message: messageId, kind, code, certain, ms: Math.round(ms) };
      // `certain: false` means that the message may have been sent, which an operator should know.
      if (certain === false) log.warn(fields, 'message.failed');
      else log.info(fields, 'message.failed');
      observer?.onSendEnd({ kind, outcome: code, ms });
    },
  };
}

/**
 * Runs `prepare`, the work before send(), such as the download and upload of a file. Logs a failure as a failed send.
 * Logs no success, because send() follows and logs its own result. Throws what `prepare` throws.
 */
export async function runPreparation<T>(
  session: Pick<Session, 'log' | 'observer'>,
  kind: string,
  prepare: () => Promise<T>,
): Promise<T> {
  const sendLog = startSendLog(session, kind);
  try {
    return await prepare();
  } catch (error) {
    sendLog.logFailure(error);
    throw error;
  }
}
