// Shows the account as online or offline (setting `alwaysOnline`). The presence in one chat is in
// chat/send-presence.ts.

import { GatewayError } from '../../errors.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';

export type OnlinePresence = 'available' | 'unavailable';

/**
 * Sets the presence until the connection ends. Throws INSTANCE_NOT_OPEN, and PLATFORM_REFUSED while the account has no
 * name, because Baileys then silently sends nothing.
 */
export async function setOnlinePresence(
  session: Session,
  presence: OnlinePresence,
): Promise<{ presence: OnlinePresence }> {
  if (!session.me()?.name) {
    throw new GatewayError('PLATFORM_REFUSED', ['Error setting presence', 'Error: the account has no name yet'], {
      certain: true,
    });
  }
  if (session.ended.aborted) throw notOpenError();
  await session.socket.sendPresenceUpdate(presence).catch((cause: unknown) => {
    throw notOpenError(cause);
  });
  return { presence };
}
