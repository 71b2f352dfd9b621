// Sends requests to the account's own phone, which answers with messages of its own.

import { GatewayError } from '../../errors.ts';
import { isConnectionClosed } from '../baileys/errors.ts';
import { proto } from '../baileys/proto.ts';
import { isUnanswered, requireAnswers } from '../baileys/required-answers.ts';
import { notOpenError, toEndedError } from '../query.ts';
import type { Session } from '../session.ts';

/** The content of a request. The protocol calls it a peer data operation request. */
export type PhoneRequest = proto.Message.IPeerDataOperationRequestMessage;

/**
 * Sends `request` as the message `id`. Resolves when the message is written to the socket. The phone's answer names
 * this id. Throws INSTANCE_NOT_OPEN and PLATFORM_TIMEOUT. Both have `certain: true` (the caller can retry safely) even
 * if the request may have been sent, because a repeated request does no harm.
 */
export async function requestFromPhone(session: Session, id: string, request: PhoneRequest): Promise<void> {
  const me = session.me();
  if (!me || session.ended.aborted) throw notOpenError(session);
  const type = proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_MESSAGE;
  const content = { protocolMessage: { type, peerDataOperationRequestMessage: request } };
  try {
    await requireAnswers(() =>
      session.socket.relayMessage(me.jid, content, {
        messageId: id,
        // With these attributes and this node, WhatsApp wakes the phone and delivers the message to the phone only.
        additionalAttributes: { category: 'peer', push_priority: 'high_force' },
        additionalNodes: [{ tag: 'meta', attrs: { appdata: 'default' } }],
      }),
    );
  } catch (cause) {
    if (isUnanswered(cause))
      throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain: true, cause });
    throw isConnectionClosed(cause) ? notOpenError(session, cause) : toEndedError(session, cause);
  }
}
