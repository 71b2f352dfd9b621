// Shows the account as online or offline to all contacts (setting `alwaysOnline`). chat/send-presence.ts shows a
// presence in a single chat. Decision D-105.

import type { InstanceSettings } from '../../storage/instance-row.ts';
import type { Socket } from '../baileys/types.ts';
import { assertName, type OnlinePresence } from '../outbound/typing.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';

type PresenceSettings = Pick<InstanceSettings, 'alwaysOnline'>;
type PresenceSession = Pick<Session, 'socket' | 'me' | 'ended' | 'log'>;

/**
 * Applies the setting from now on. When the connection opens, Baileys itself sends the presence for the value that the
 * setting had when this function was called. It sends none while the account has no name, for example right after
 * linking. The listeners of this function send a presence in the two other cases: the setting changed before the
 * instance was open, or the name became known later. After that, a setPresence request can change the presence.
 */
export function installOnlinePresence(
  socket: Pick<Socket, 'ev'>,
  session: PresenceSession,
  settings: PresenceSettings,
): void {
  /** The value of the setting whose presence was sent last. Undefined when none was sent: the account has no name. */
  let lastSent: boolean | undefined = settings.alwaysOnline;
  let isOpen = false;
  const update = () => {
    if (!isOpen || session.ended.aborted || !session.me()?.name || lastSent === settings.alwaysOnline) return;
    lastSent = settings.alwaysOnline;
    applyAlwaysOnline(session, settings).catch((err: unknown) => session.log.warn({ err }, 'presence.update.failed'));
  };
  socket.ev.on('connection.update', ({ connection, receivedPendingNotifications }) => {
    if (connection === 'open') {
      isOpen = true;
      if (!session.me()?.name) lastSent = undefined;
    }
    // A request that changes the setting calls applyAlwaysOnline(), but only if the instance is open. The instance
    // opens later than the connection. If the setting changes between these two moments, the presence is sent here.
    if (connection === 'open' || receivedPendingNotifications) update();
  });
  socket.ev.on('creds.update', () => {
    if (lastSent === undefined) update();
  });
}

/** Sends the presence of the setting. Does nothing while the account has no name. Throws like setOnlinePresence(). */
export async function applyAlwaysOnline(session: PresenceSession, { alwaysOnline }: PresenceSettings): Promise<void> {
  if (session.me()?.name) await setOnlinePresence(session, alwaysOnline ? 'available' : 'unavailable');
}

/** Sets the presence until the connection ends. Throws INSTANCE_NOT_OPEN and the errors of assertName(). */
export async function setOnlinePresence(
  session: PresenceSession,
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
