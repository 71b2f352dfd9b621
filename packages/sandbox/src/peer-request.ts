// Requests of a companion to its own phone outside of chats: resending messages that the companion cannot decrypt.
import { proto } from '@whiskeysockets/baileys';
import type { StoredMessage } from './mailbox.ts';

const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType;

/**
 * The phone's answer to the request in `content`, sent under the id `stanzaId`: the wanted messages that `find` knows,
 * in the clear for the asking device. Undefined when it asks for nothing that a phone here has.
 */
export function answerPeerRequest(
  content: proto.IMessage,
  stanzaId: string,
  find: (key: proto.IMessageKey) => StoredMessage | undefined,
): proto.Message.IProtocolMessage | undefined {
  const request = content.protocolMessage?.peerDataOperationRequestMessage;
  if (request?.peerDataOperationRequestType !== PLACEHOLDER_MESSAGE_RESEND) return undefined;
  const results = (request.placeholderMessageResendRequest ?? []).flatMap(({ messageKey }) => {
    const letter = messageKey && find(messageKey);
    if (!letter) return [];
    const message = { key: messageKey, message: letter.content, messageTimestamp: letter.timestamp };
    const webMessageInfoBytes = proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(message)).finish();
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
