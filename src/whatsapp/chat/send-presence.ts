// Shows the presence that an API request asks for, such as "typing", in a chat. outbound/send.ts shows presences before
// delayed messages. Decisions D-020 and D-049.
import { resolveRecipient } from '../address/recipient.ts';
import type { Presence } from '../baileys/types.ts';
import { assertDelay, assertName, isOnlinePresence, showPresence } from '../outbound/typing.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';

export interface PresenceInput {
  number: string;
  options: {
    /** Milliseconds for which the presence is shown. Default: until WhatsApp hides the presence. */
    delay?: number;
    /** Default: composing. */
    presence?: Presence;
  };
}

/**
 * Shows the presence and resolves after `delay` ms. Throws the errors of assertDelay() and resolveRecipient(), and
 * INSTANCE_NOT_OPEN when the connection ends during this time. For `available` and `unavailable`, which are presences
 * of the whole account, also throws the errors of assertName().
 */
export async function sendPresence(
  session: Session,
  { number, options: { delay = 0, presence = 'composing' } }: PresenceInput,
): Promise<{ presence: Presence }> {
  assertDelay(session, delay);
  if (isOnlinePresence(presence)) assertName(session);
  const { jid } = await resolveRecipient(session, number);
  const address = await session.addresses.find(jid);
  await showPresence(session, address.jid, { presence, delay }, (call) =>
    call().catch((cause: unknown) => {
      throw notOpenError(session, cause);
    }),
  );
  if (session.ended.aborted) throw notOpenError(session);
  return { presence };
}
