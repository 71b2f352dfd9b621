// Logs one line per send and reports the result to the session's observer. Lines never contain content or recipient.
import { GatewayError } from '../../errors.ts';
import { currentTrace } from '../../lib/request-trace.ts';
import type { Session } from '../session.ts';

export interface SendLog {
  /** The message was sent and stored under this id. */
  sent(messageId: string): void;
  failed(error: unknown): void;
}

/** Starts the clock of a send of this kind (messageType). Call one of the two methods at its end. */
export function startSendLog({ log, observer }: Pick<Session, 'log' | 'observer'>, kind: string): SendLog {
  const startedAt = performance.now();
  return {
    sent(messageId) {
      const ms = performance.now() - startedAt;
      log.info({ requestId: currentTrace(), message: messageId, kind, ms: Math.round(ms) }, 'message.sent');
      observer?.onSendEnd({ kind, outcome: 'sent', ms });
    },
    failed(error) {
      const ms = performance.now() - startedAt;
      const { code, certain, messageId } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
      const line = { requestId: currentTrace(), message: messageId, kind, code, certain, ms: Math.round(ms) };
      // A send with an unknown result needs attention. Every other failure is a refusal, and the caller got it as the response.
      if (certain === false) log.warn(line, 'message.failed');
      else log.info(line, 'message.failed');
      observer?.onSendEnd({ kind, outcome: code, ms });
    },
  };
}

/**
 * Runs `prepare`, which a send of this kind needs before send(), such as the download and upload of its file. Logs only a failure,
 * because send() logs the rest. Throws what `prepare` throws.
 */
export async function logFailedPreparation<T>(
  session: Pick<Session, 'log' | 'observer'>,
  kind: string,
  prepare: () => Promise<T>,
): Promise<T> {
  const sendLog = startSendLog(session, kind);
  try {
    return await prepare();
  } catch (error) {
    sendLog.failed(error);
    throw error;
  }
}
