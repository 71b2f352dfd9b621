// Answers the request of a companion (linked device) to its own phone to send messages again that the companion could
// not decrypt.
import { proto } from '@whiskeysockets/baileys';
import type { StoredMessage } from './mailbox.ts';

const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType;

/**
 * Creates the answer to the request in `content`, whose stanza has the id `stanzaId`. The answer contains the requested
 * messages that `find` returns. Undefined when `content` is another kind of request or none of the messages is found.
 */
export function answerPeerRequest(
  content: proto.IMessage,
  stanzaId: string,
  find: (key: proto.IMessageKey) => StoredMessage | undefined,
): proto.Message.IProtocolMessage | undefined {
  const request = content.protocolMessage?.peerDataOperationRequestMessage;
  if (request?.peerDataOperationRequestType !== PLACEHOLDER_MESSAGE_RESEND) return undefined;
  const results = (request.placeholderMessageResendRequest ?? []).flatMap(({ messageKey }) => {
    const message = messageKey && find(messageKey);
    if (!message) return [];
    const webMessage = { key: messageKey, message: message.content, messageTimestamp: message.timestamp };
    const webMessageInfoBytes = proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(webMessage)).finish();
    return [{ placeholderMessageResendResponse: { webMessageInfoBytes } }];
  });
  if (results.length === 0) return undefined;
  return {
    type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
    peerDataOperationRequestResponseMessage: {
      peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND,
      stanzaId,
      peerDataOperationResult: results,
    },
  };
}
