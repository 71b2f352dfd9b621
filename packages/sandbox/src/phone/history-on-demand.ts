// Creates the phone's answer to a companion (linked device) that requests older messages of one chat: the messages
// before the oldest message that the companion has.
import { proto } from '@whiskeysockets/baileys';
import { addressingOf, jidOf } from '../world/delivery.ts';
import type { World } from '../world/model.ts';
import { belongsToChat, isIncluded, toInfo, toNotification } from './history.ts';
import type { PhonePort } from './interfaces.ts';

const { ON_DEMAND } = proto.HistorySync.HistorySyncType;
const { COMPLETE_ON_DEMAND_SYNC_BUT_MORE_MSG_REMAIN_ON_PRIMARY, COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY } =
  proto.Conversation.EndOfHistoryTransferType;

/** Maximum number of messages in an answer, also when the companion requests more. */
const MAX_MESSAGES = 50;

/**
 * Creates the notification that answers `request`. `requestId` is the id of the request's stanza. `chat` identifies the
 * chat in the mailbox: the number of the other person, or the JID of a group. Returns undefined when the request names
 * no chat, or when the phone does not have the companion's oldest message (`oldestMsgId`).
 */
export function historyBefore(
  world: World,
  phone: PhonePort,
  request: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
  { chat, requestId }: { chat: string; requestId: string },
): proto.Message.IProtocolMessage | undefined {
  const { chatJid, oldestMsgId, onDemandMsgCount } = request;
  const inChat = phone.mailbox.all().filter((message) => message.chat === chat && belongsToChat(world, message));
  const oldestIndex = inChat.findIndex(({ id }) => id === oldestMsgId);
  if (!chatJid || oldestIndex < 0) return undefined;
  const older = inChat.slice(0, oldestIndex).filter(isIncluded).reverse();
  const count = Math.max(0, Math.min(onDemandMsgCount ?? MAX_MESSAGES, MAX_MESSAGES));
  const messages = older.slice(0, count).map((message) => ({ message: toInfo(world, phone, message) }));
  const endOfHistoryTransferType =
    older.length > count
      ? COMPLETE_ON_DEMAND_SYNC_BUT_MORE_MSG_REMAIN_ON_PRIMARY
      : COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY;
  const person = world.byJid(chatJid);
  // The answer addresses the chat as the request does: by phone number, or by LID (second address of a person).
  const id = person ? jidOf(addressingOf(chatJid), person) : chat;
  const conversation = { id, messages, endOfHistoryTransferType };
  return toNotification(
    { syncType: ON_DEMAND, chunkOrder: 1, progress: 100, conversations: [conversation] },
    { requestId },
  );
}
