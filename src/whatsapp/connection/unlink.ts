// Tells the platform that this device is no longer linked. What becomes of the session is the caller's.

import { settleWithin } from '../../lib/deadline.ts';
import type { Socket } from '../baileys/types.ts';

/**
 * `jid` is the device's own, `isClosed` whether the connection was closed as the platform does with an unlinked device. True when the
 * platform has answered or closed within `timeout` ms.
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
  const isAnswered = answer.then((node: unknown) => node !== undefined);
  return (await settleWithin(Promise.race([isClosed, isAnswered]), timeout)) ?? false;
}
