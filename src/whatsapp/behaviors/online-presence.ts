// Shows the account as online or offline to all contacts (setting `alwaysOnline`). chat/send-presence.ts shows a
// presence in a single chat. Decision D-105.

import { assertName, type OnlinePresence } from '../outbound/typing.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';

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
