// Asks WhatsApp for LIDs (ids that hide the phone numbers of people) through Baileys, which stores the answers in the
// LID map.
import { GatewayError } from '../../errors.ts';
import { isUnanswered, requireAnswers } from '../baileys/required-answers.ts';
import { toEndedError } from '../query.ts';
import type { Session, SessionSocket } from '../session.ts';

type LidMapping = SessionSocket['signalRepository']['lidMapping'];

/**
 * Runs a query of Baileys' LID mapping. Throws PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN, both with `certain: true` (a
 * retry is safe), because the query changes nothing on WhatsApp. When the database fails, throws the error of the
 * database.
 */
export async function queryLids<T>(session: Session, query: (lidMapping: LidMapping) => Promise<T>): Promise<T> {
  const { lidMapping } = session.socket.signalRepository;
  return requireAnswers(() => query(lidMapping)).catch((cause: unknown) => {
    if (session.ended.aborted) throw toEndedError(session, cause);
    if (!isUnanswered(cause)) throw cause;
    throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain: true, cause });
  });
}
