// Sets the disappearing-messages timer of a chat. Decision D-122.

import { GatewayError } from '../../errors.ts';
import { isGroup } from '../address/jid.ts';
import { resolveRecipient } from '../address/recipient.ts';
import { proto } from '../baileys/proto.ts';
import { setGroupDisappearingTimer } from '../group/settings.ts';
import { disappearingTimerOf } from '../outbound/context-info.ts';
import { send } from '../outbound/send.ts';
import { waitForStatus } from '../outbound/send-outcome.ts';
import { isUncertain } from '../send-error-reasons.ts';
import type { Session } from '../session.ts';

/** Maximum time to wait for WhatsApp's answer to the setting in a chat with one person, ms. */
const ACK_TIMEOUT = 10_000;

export interface DisappearingTimerInput {
  number: string;
  /** Seconds; 0 turns the timer off. */
  expiration: number;
}

/**
 * Sets the timer of a chat for all its members. Messages that this account sends to the chat later also have the timer.
 * Resolves with the JID of the chat. Throws PLATFORM_REFUSED when WhatsApp refuses the setting, PLATFORM_TIMEOUT when
 * WhatsApp does not answer, the errors of resolveRecipient() and send(), and for a group those of
 * setGroupDisappearingTimer().
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
  const chat = { jid, ...(lid ? { lid } : {}) };
  const previousTimer = await disappearingTimerOf(session, jid);
  const { key } = await send(session, {
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
    event: (sent) => ({ type: 'chats.update', chats: [{ ...chat, ephemeral: expiration }], sent }),
  });
  const outcome = await waitForStatus(session, key, ACK_TIMEOUT);
  const messageId = key.id;
  if (outcome?.status === 'ERROR' && !isUncertain(outcome.reason)) {
    // send() has stored the new timer. This event stores the previous timer again.
    await session.ingest([{ type: 'chats.update', chats: [{ ...chat, ephemeral: previousTimer }] }]);
    const lines = ['Error setting disappearing messages', `Error: the platform refused it (${outcome.code})`];
    throw new GatewayError('PLATFORM_REFUSED', lines, { certain: true, messageId });
  }
  // An ERROR that is left here means that no ack arrived (isUncertain).
  if (!outcome || outcome.status === 'ERROR')
    throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain: false, messageId });
  return jid;
}
