// Sets the disappearing-messages timer of a chat. Decision D-122.

import { isGroup } from '../address/jid.ts';
import { resolveRecipient } from '../address/recipient.ts';
import { proto } from '../baileys/proto.ts';
import { setGroupDisappearingTimer } from '../group/settings.ts';
import { send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface DisappearingTimerInput {
  number: string;
  /** Seconds; 0 turns the timer off. */
  expiration: number;
}

/**
 * Sets the timer for everyone in the chat. Later messages of this account get the timer too. Resolves with the JID of
 * the chat. Throws the errors of resolveRecipient() and send(), and for a group those of setGroupDisappearingTimer().
 */
export async function setDisappearingTimer(
  session: Session,
  { number, expiration }: DisappearingTimerInput,
): Promise<string> {
  const { jid, lid } = await resolveRecipient(session, number);
  if (isGroup(jid)) {
    await setGroupDisappearingTimer(session, jid, expiration);
    return jid;
  }
  await send(session, {
    number: jid,
    kind: 'protocolMessage',
    presence: 'composing',
    content: () => ({
      protocolMessage: {
        type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING,
        ephemeralExpiration: expiration,
        ephemeralSettingTimestamp: Math.floor(Date.now() / 1000),
      },
    }),
    event: (sent) => ({ type: 'chats.update', chats: [{ jid, ...(lid ? { lid } : {}), ephemeral: expiration }], sent }),
  });
  return jid;
}
