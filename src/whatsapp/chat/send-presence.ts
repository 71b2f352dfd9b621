// Shows presence in a chat: for itself (interface §4.4), and before a message that asks for a delay.

import { GatewayError } from '../../errors.ts';
import { pause } from '../../lib/deadline.ts';
import { isUser } from '../address/jid.ts';
import { resolveRecipient } from '../address/recipient.ts';
import type { Presence } from '../baileys/types.ts';
import type { Session } from '../session.ts';

export interface PresenceInput {
  number: string;
  options: {
    /** ms; without it the presence is shown and left to end by itself. */
    delay?: number;
    /** Default composing. */
    presence?: Presence;
  };
}

/** ms after which the platform stops showing "typing" on its own. */
const presenceLasts = 20_000;

/**
 * Shows the presence, answers after the delay. Throws what resolve() throws, INVALID_REQUEST for a delay above session.maxDelay, and
 * INSTANCE_NOT_OPEN when the connection ends meanwhile.
 */
export async function sendPresence(
  session: Session,
  { number, options: { delay = 0, presence = 'composing' } }: PresenceInput,
): Promise<{ presence: Presence }> {
  if (delay > session.maxDelay) {
    throw new GatewayError('INVALID_REQUEST', [[`options.delay must be <= ${session.maxDelay}`]], { certain: true });
  }
  const { jid } = await resolveRecipient(session, number);
  const closed = (cause?: unknown) =>
    new GatewayError('INSTANCE_NOT_OPEN', ['Error: Connection Closed'], { certain: true, cause });
  await showPresence(session, jid, { presence, delay }, (signal) =>
    signal().catch((cause: unknown) => {
      throw closed(cause);
    }),
  );
  if (session.ended.aborted) throw closed();
  return { presence };
}

/**
 * Shows `presence` in the chat for `delay` ms and then `paused`, or leaves it when there is no delay. Ends early with the session.
 * `attempt` performs each signal and so decides what a failure means.
 */
export async function showPresence(
  session: Session,
  jid: string,
  { presence, delay }: { presence: Presence; delay: number },
  attempt: (signal: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { socket, ended } = session;
  const show = async (shown: Presence) => {
    if (!ended.aborted) await attempt(() => socket.sendPresenceUpdate(shown, jid));
  };
  if (isUser(jid) && !ended.aborted) await attempt(() => socket.presenceSubscribe(jid));
  await show(presence);
  for (let left = delay; left > 0 && !ended.aborted; left -= presenceLasts) {
    if (left < delay) await show(presence);
    await pause(Math.min(left, presenceLasts), ended);
  }
  // Being online or offline concerns no chat, so there is nothing to end in this one.
  if (delay > 0 && presence !== 'available' && presence !== 'unavailable') await show('paused');
}
