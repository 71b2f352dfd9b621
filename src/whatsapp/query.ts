// One question to the platform and what came of it: an answer, the platform's refusal, or an error a caller understands.
// Baileys resolves a query that timed out with undefined; here that is never an answer.

import { GatewayError } from '../errors.ts';
import { CONNECTION_CLOSED, statusOf } from './baileys/connection-update.ts';
import type { Stanza } from './baileys/stanza.ts';
import { COMPATIBILITY_PHRASES } from './compatibility-phrases.ts';
import type { Session } from './session.ts';

/** `<error code text>` in answer to a query. Operations turn it into an error of their own. */
export class QueryRefusal extends Error {
  readonly code: number;

  constructor(code: number, text: string, cause: unknown) {
    super(text, { cause });
    this.name = 'Refusal';
    this.code = code;
  }
}

/** The error of an operation without a connection. It is certain that nothing was sent. */
export const notOpen = (cause?: unknown) =>
  new GatewayError('INSTANCE_NOT_OPEN', [COMPATIBILITY_PHRASES.connectionClosed], { certain: true, cause });

/**
 * The platform's answer to `node`, an `<iq>`. Throws Refusal; GatewayError INSTANCE_NOT_OPEN when it cannot be asked and
 * PLATFORM_TIMEOUT when it does not answer, where `certain: false` says that a change may have been made all the same. `changes`: the
 * question asks for a change; by default one of type `set` does.
 */
export async function queryPlatform(
  session: Session,
  node: Stanza,
  changes = node.attrs.type === 'set',
): Promise<Stanza> {
  if (session.ended.aborted) throw notOpen();
  const certain = !changes;
  let answer: Stanza | undefined;
  try {
    answer = await session.socket.query(node);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
    if (error instanceof Error && typeof code === 'number') throw new QueryRefusal(code, error.message, error);
    // A query in flight when the socket drops rejects with ws's close code, a plain number.
    const isClosed = session.ended.aborted || typeof error === 'number' || statusOf(error) === CONNECTION_CLOSED;
    if (!isClosed) throw error;
    if (certain) throw notOpen(error);
    throw new GatewayError('PLATFORM_TIMEOUT', 'the connection was lost before the platform confirmed', {
      certain,
      cause: error,
    });
  }
  if (!answer) throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer', { certain });
  return answer;
}
