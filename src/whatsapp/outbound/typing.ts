// Shows presence (typing, recording) in one chat for a time. WhatsApp forgets it after 20 s, so a longer time repeats
// it.

import { pause } from '../../lib/deadline.ts';
import { isUser } from '../address/jid.ts';
import type { Presence } from '../baileys/types.ts';
import type { Session } from '../session.ts';

/** Milliseconds after which WhatsApp stops showing "typing". */
const PRESENCE_DURATION = 20_000;

/**
 * Shows `presence` in the chat `jid` for `delay` ms and then `paused`. Without a delay the presence stays until
 * WhatsApp ends it. Ends early when the session ends. `attempt` performs each call of the socket and decides what a
 * failure means.
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
  if (isUser(jid) && !ended.aborted) await attempt(() => socket.presenceSubscribe(jid));
  await show(presence);
  for (let remaining = delay; remaining > 0 && !ended.aborted; remaining -= PRESENCE_DURATION) {
    if (remaining < delay) await show(presence);
    await pause(Math.min(remaining, PRESENCE_DURATION), ended);
  }
  // `available` and `unavailable` belong to the account and not to a chat, so `paused` would not end them.
  if (delay > 0 && presence !== 'available' && presence !== 'unavailable') await show('paused');
}
