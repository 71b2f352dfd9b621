// Unlinks this device from the account. The caller closes the session.

import { settleWithin } from '../../lib/deadline.ts';
import { isConnectionClosed } from '../baileys/errors.ts';
import type { Socket } from '../baileys/types.ts';

/**
 * Sends `remove-companion-device` for `jid`, the device's own JID. Resolves with true when WhatsApp confirms within
 * `timeout` ms: by an answer, or by closing the connection with the close code of an unlinked device. `whenClosed`
 * resolves when the connection is closed, with true for this close code.
 */
export async function unlink({
  socket,
  jid,
  whenClosed,
  timeout,
}: {
  socket: Pick<Socket, 'query'>;
  jid: string;
  whenClosed: Promise<boolean>;
  timeout: number;
}): Promise<boolean> {
  const answer = socket.query(
    {
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'md' },
      content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
    },
    timeout,
  );
  const whenAnswered = answer.then(
    // Baileys resolves a query that timed out with undefined.
    (node: unknown) => node !== undefined,
    // When the connection ends, the query rejects before `whenClosed` resolves. The result of `whenClosed` then counts.
    (error: unknown) => isConnectionClosed(error) && whenClosed,
  );
  return (await settleWithin(Promise.race([whenClosed, whenAnswered]), timeout)) ?? false;
}
