// What is written down of a send, one line each, and told to whoever counts. Never its content or its recipient.
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events.ts';
import { currentTrace } from '../../lib/trace.ts';
import type { Session } from '../session.ts';

/** Runs `work`, which sends one message, and tells how it ended. Throws what `work` throws. */
export async function told(session: Pick<Session, 'log' | 'observer'>, work: () => Promise<Message>): Promise<Message> {
  const started = performance.now();
  const requestId = currentTrace();
  const since = () => Math.round(performance.now() - started);
  try {
    const message = await work();
    const { messageType: kind, key } = message;
    session.log.info({ requestId, message: key.id, kind, ms: since() }, 'message.sent');
    session.observer?.ended({ kind, outcome: 'sent', ms: performance.now() - started });
    return message;
  } catch (error) {
    const { code, certain, messageId } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
    const line = { requestId, message: messageId, code, certain, ms: since() };
    // What may have gone out needs somebody's eye; everything else was refused, and answered like that.
    if (certain === false) session.log.warn(line, 'message.failed');
    else session.log.info(line, 'message.failed');
    session.observer?.ended({ kind: undefined, outcome: code, ms: performance.now() - started });
    throw error;
  }
}
