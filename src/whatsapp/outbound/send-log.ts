// What is written down of a send, one line each, and told to whoever counts. Never its content or its recipient.
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { currentTrace } from '../../lib/request-trace.ts';
import type { Session } from '../session.ts';

type Hearing = Pick<Session, 'log' | 'observer'>;

/** Runs `work`, which sends one message of this kind, and tells how it ended. Throws what `work` throws. */
export async function logSend(session: Hearing, kind: string, work: () => Promise<Message>): Promise<Message> {
  const started = performance.now();
  const message = await logFailedSend(session, kind, work);
  const ms = performance.now() - started;
  session.log.info({ requestId: currentTrace(), message: message.key.id, kind, ms: Math.round(ms) }, 'message.sent');
  session.observer?.onSendEnd({ kind, outcome: 'sent', ms });
  return message;
}

/**
 * Runs `work`, without which a message of this kind cannot be sent, such as fetching and uploading its file: when it fails, so has the send, and
 * that is told. Throws what `work` throws.
 */
export async function logFailedSend<T>(session: Hearing, kind: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } catch (error) {
    const ms = performance.now() - started;
    const { code, certain, messageId } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
    const line = { requestId: currentTrace(), message: messageId, kind, code, certain, ms: Math.round(ms) };
    // What may have gone out needs somebody's eye; everything else was refused, and answered like that.
    if (certain === false) session.log.warn(line, 'message.failed');
    else session.log.info(line, 'message.failed');
    session.observer?.onSendEnd({ kind, outcome: code, ms });
    throw error;
  }
}
