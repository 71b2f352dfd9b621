// Shows a presence, such as "typing", in one chat for a limited time. WhatsApp hides a presence after 20 s. For a
// longer time, showPresence() sends the presence again.

import { GatewayError, invalidRequestError } from '../../errors.ts';
import { pause } from '../../lib/deadline.ts';
import { isPersonJid } from '../address/jid.ts';
import type { Presence } from '../baileys/types.ts';
import type { Session } from '../session.ts';

/** Time after which WhatsApp stops showing a presence. */
const PRESENCE_DURATION_MS = 20_000;

/**
 * Shows `presence` in the chat `jid` for `delay` ms and then sends `paused`. With `delay: 0` the presence stays until
 * WhatsApp hides it. Returns early when the session ends. `attempt` runs each call of the socket and handles its
 * errors. The option is called `delay` because a message that follows is delayed by this time.
 */
export async function showPresence(
  session: Session,
  jid: string,
  { presence, delay }: { presence: Presence; delay: number },
  attempt: (call: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { socket, ended } = session;
  const show = async (value: Presence) => {
    if (!ended.aborted) await attempt(() => socket.sendPresenceUpdate(value, jid));
  };
  if (isPersonJid(jid) && !ended.aborted) await attempt(() => socket.presenceSubscribe(jid));
  await show(presence);
  for (let remaining = delay; remaining > 0 && !ended.aborted; remaining -= PRESENCE_DURATION_MS) {
    if (remaining < delay) await show(presence);
    await pause(Math.min(remaining, PRESENCE_DURATION_MS), ended);
  }
  // `available` and `unavailable` are states of the account, not of a chat, so `paused` would not end them.
  if (delay > 0 && !isOnlinePresence(presence)) await show('paused');
}

/** Throws INVALID_REQUEST when `delay`, in ms, exceeds the maximum of the configuration (`MAX_DELAY`). */
export function assertDelay({ maxDelay }: Pick<Session, 'maxDelay'>, delay: number): void {
  if (delay > maxDelay) throw invalidRequestError(`options.delay must be less than or equal to ${maxDelay}`);
}

/** Throws PLATFORM_REFUSED while the account has no name, because Baileys would send nothing and report no error. */
export function assertName(session: Pick<Session, 'me'>): void {
  if (session.me()?.name) return;
  throw new GatewayError('PLATFORM_REFUSED', ['Error setting presence', 'Error: the account has no name yet'], {
    certain: true,
  });
}

/** A presence of the account, which all contacts see, not only those in one chat. */
export type OnlinePresence = 'available' | 'unavailable';

export const isOnlinePresence = (presence: Presence): presence is OnlinePresence =>
  presence === 'available' || presence === 'unavailable';
