// Answers two kinds of requests that a companion (linked device) sends to its own phone. The first kind asks for
// messages of a chat that are older than those of the companion. The second kind asks for messages that the companion
// could not decrypt and shows as placeholders.
import { proto } from '@whiskeysockets/baileys';
import { chatOf } from '../world/delivery.ts';
import type { World } from '../world/model.ts';
import { historyBefore } from './history-on-demand.ts';
import type { PhonePort } from './interfaces.ts';

const { HISTORY_SYNC_ON_DEMAND, PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType;

/**
 * Creates the answer to the request in `content`. `stanzaId` is the id of the request's stanza. Returns undefined when
 * historyBefore() returns undefined, when the phone has none of the requested messages, and for content of any other
 * kind.
 */
export function answerPeerRequest(
  world: World,
  phone: PhonePort,
  content: proto.IMessage,
  stanzaId: string,
): proto.Message.IProtocolMessage | undefined {
  const request = content.protocolMessage?.peerDataOperationRequestMessage;
  const history = request?.historySyncOnDemandRequest;
  if (request?.peerDataOperationRequestType === HISTORY_SYNC_ON_DEMAND && history)
    return historyBefore(world, phone, history, { chat: chatOf(world, history.chatJid ?? ''), requestId: stanzaId });
  if (request?.peerDataOperationRequestType !== PLACEHOLDER_MESSAGE_RESEND) return undefined;
  const find = (key: proto.IMessageKey) => phone.mailbox.find(chatOf(world, key.remoteJid ?? ''), key.id ?? '');
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
