// Unlinks this device from the account. The caller closes the session.

import { settleWithin } from '../../lib/deadline.ts';
import type { Socket } from '../baileys/types.ts';

/**
 * Sends `remove-companion-device` for `jid`, the device's own JID. `isClosed` resolves with true when the connection is
 * closed with the code of an unlinked device, which counts as a confirmation. Resolves with true when WhatsApp confirms
 * within `timeout` ms.
 */
export async function unlink(parts: {
  socket: Pick<Socket, 'query'>;
  jid: string;
  isClosed: Promise<boolean>;
  timeout: number;
}): Promise<boolean> {
  const { socket, jid, isClosed, timeout } = parts;
  const answer = socket.query(
    {
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'md' },
      content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
    },
    timeout,
  );
  // Baileys resolves a query that timed out with undefined.
  const isAnswered = answer.then((node: unknown) => node !== undefined);
  return (await settleWithin(Promise.race([isClosed, isAnswered]), timeout)) ?? false;
}
