// Pins a message in its chat for everyone, for a limited time, and unpins it. Decision D-121.

import type { Message } from '../../events/events.ts';
import { proto } from '../baileys/proto.ts';
import { send } from '../outbound/send.ts';
import { findTarget, type TargetKey } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';

export interface PinInput {
  key: TargetKey;
  /** Default: true. */
  pin?: boolean;
  /** Seconds. Default: one week. */
  duration?: number;
}

const DEFAULT_DURATION_SECONDS = 7 * 24 * 3_600;

/** Resolves with the message that pins or unpins the target message. Throws the errors of send() and findTarget(). */
export async function pinMessage(
  session: Session,
  { key: target, pin = true, duration = DEFAULT_DURATION_SECONDS }: PinInput,
): Promise<Message> {
  const { address, key } = await findTarget(session, target);
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;
  return send(session, {
    number: address.jid,
    kind: 'pinInChatMessage',
    presence: 'composing',
    // The pinned message has started the chat, so the limit of new chats does not apply.
    continuesChat: true,
    content: () => ({
      pinInChatMessage: { key, type: pin ? PIN_FOR_ALL : UNPIN_FOR_ALL, senderTimestampMs: Date.now() },
      messageContextInfo: { messageAddOnDurationInSecs: pin ? duration : 0 },
    }),
  });
}
