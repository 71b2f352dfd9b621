// Shows the account as online or offline to all contacts (setting `alwaysOnline`). chat/send-presence.ts shows a
// presence in a single chat. Decision D-105.

import { GatewayError } from '../../errors.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';

export type OnlinePresence = 'available' | 'unavailable';

/** Throws PLATFORM_REFUSED while the account has no name, because Baileys would send nothing and report no error. */
export function assertName(session: Pick<Session, 'me'>): void {
  if (session.me()?.name) return;
  throw new GatewayError('PLATFORM_REFUSED', ['Error setting presence', 'Error: the account has no name yet'], {
    certain: true,
  });
}

/** Sets the presence until the connection ends. Throws INSTANCE_NOT_OPEN and the errors of assertName(). */
export async function setOnlinePresence(
  session: Session,
  presence: OnlinePresence,
): Promise<{ presence: OnlinePresence }> {
  assertName(session);
  if (session.ended.aborted) throw notOpenError(session);
  await session.socket.sendPresenceUpdate(presence).catch((cause: unknown) => {
    throw notOpenError(session, cause);
  });
  if (session.ended.aborted) throw notOpenError(session);
  return { presence };
}
