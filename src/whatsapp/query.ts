// Sends a query to WhatsApp. The result is the answer, WhatsApp's refusal, or a GatewayError for the caller.
// Baileys resolves a query that timed out with undefined; queryPlatform() throws instead.

import { GatewayError } from '../errors.ts';
import { CONNECTION_CLOSED, statusOf } from './baileys/connection-update.ts';
import type { Stanza } from './baileys/stanza.ts';
import { COMPATIBILITY_PHRASES } from './compatibility-phrases.ts';
import type { Session } from './session.ts';

/** WhatsApp answered a query with `<error code text>`. Operations map the code to an error of their own. */
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
 * Sends the query `node`, an `<iq>`, and returns the answer. `isChange` says whether the query changes something; by
 * default it is true for the type `set`. Throws QueryRefusal; GatewayError INSTANCE_NOT_OPEN when the query was not
 * sent or changes nothing; PLATFORM_TIMEOUT without an answer, with `certain: false` when the change may have been
 * made.
 */
export async function queryPlatform(
  session: Session,
  node: Stanza,
  isChange = node.attrs.type === 'set',
): Promise<Stanza> {
  if (session.ended.aborted) throw notOpen();
  const certain = !isChange;
  let answer: Stanza | undefined;
  try {
    answer = await session.socket.query(node);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
    if (error instanceof Error && typeof code === 'number') throw new QueryRefusal(code, error.message, error);
    // A query in flight rejects with the close code of ws, a number, when the connection is lost.
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
