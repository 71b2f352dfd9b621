// Requests older messages of a chat from the account's own phone. The messages arrive as history events. Decision
// D-163.

import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Message, MessageKey } from '../../events/events.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { channelJidOf, isBroadcast, isLid, toJid } from '../address/jid.ts';
import { storedSessionJidsOf } from '../address/stored-jids.ts';
import { resolveUsername } from '../address/username-lookup.ts';
import { proto } from '../baileys/proto.ts';
import { newMessageId } from '../outbound/message-id.ts';
import { requestFromPhone } from '../outbound/phone-request.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';

export interface FetchHistoryInput {
  /** Number, JID or LID (id that hides the number) of a person, or JID of a group. */
  number: string;
  /** Maximum number of messages. Default: MAX_COUNT. */
  count?: number;
  /** Id of a stored message. The messages before it are requested. Default: the oldest stored message of the chat. */
  before?: string;
}

export interface FetchedHistory {
  chatId: string;
  /** Id of the message that carries the request to the phone. */
  requestId: string;
  /** Maximum number of messages that was requested. */
  count: number;
  /** The stored message before which messages were requested. */
  before: { key: MessageKey; messageTimestamp: number };
  /** Number of messages that the phone sent. Messages that were already stored cause no event. */
  messages: number;
  /** True when the phone has older messages. Null when the phone does not state it. */
  hasMore: boolean | null;
}

/** Phones send at most this number of messages per request. */
const MAX_COUNT = 50;
/** Number of oldest stored messages among which findAnchor() looks for one that is on the phone. */
const ANCHOR_CANDIDATES = 20;

/**
 * Requests messages. Resolves when the phone has answered and the messages are stored. Waits no longer than the time
 * limit of a send; messages that arrive later are stored too. Runs one request per chat at a time, so that a second
 * request for the chat continues where the first ended.
 *
 * Throws:
 * - USERNAME_NOT_FOUND, and INVALID_REQUEST for channels and statuses;
 * - MESSAGE_NOT_FOUND when the chat or the message `before` is not stored;
 * - PLATFORM_TIMEOUT when the phone does not answer in time;
 * - INSTANCE_NOT_OPEN when the session has ended.
 */
export async function fetchHistory(session: Session, input: FetchHistoryInput): Promise<FetchedHistory> {
  const jids = await chatJidsOf(session, input.number);
  return session.historyRequests.queue.run(jids[0] ?? input.number, async () => {
    const message = await findAnchor(session, jids, input.before);
    return requestMessagesBefore(session, message, input.count ?? MAX_COUNT);
  });
}

/** Returns all JIDs under which the chat can be stored. */
async function chatJidsOf(session: Session, number: string): Promise<string[]> {
  const address = await resolveUsername(session, number);
  const jid = channelJidOf(address) ?? toJid(address);
  if (channelJidOf(number) || isBroadcast(jid)) {
    const sentence = '"number" must be a person or a group: the phone sends no history of channels and statuses';
    throw invalidRequestError(sentence);
  }
  return storedSessionJidsOf(session, jid);
}

/**
 * Returns the anchor, the message before which the phone is asked for messages: the message with the id `before`, or
 * else the oldest stored message of the chat that the phone has.
 */
async function findAnchor(session: Session, jids: readonly string[], before: string | undefined): Promise<Message> {
  const { instanceId, storage } = session;
  if (before !== undefined) {
    const [found] = await storage.messages.find(
      instanceId,
      { chatAddresses: jids, id: before },
      { offset: 0, limit: 1 },
    );
    if (found) return found.message;
    throw notFoundError('The message "before" is not stored in this chat');
  }
  const total = await storage.messages.count(instanceId, { chatAddresses: jids });
  // find() returns the newest messages first, so the last results are the oldest messages.
  const oldest = { offset: Math.max(0, total - ANCHOR_CANDIDATES), limit: ANCHOR_CANDIDATES };
  const found = total > 0 ? await storage.messages.find(instanceId, { chatAddresses: jids }, oldest) : [];
  // Messages that WhatsApp has not accepted are not on the phone.
  const anchor = found.findLast(({ message: { status } }) => status !== 'PENDING' && status !== 'ERROR');
  if (anchor) return anchor.message;
  const [chat] = await storage.chats.list(instanceId, jids);
  throw notFoundError(
    chat
      ? 'No message of this chat is stored, and the phone needs one to know where to begin'
      : 'No chat with this address is known',
  );
}

const notFoundError = (sentence: string) => new GatewayError('MESSAGE_NOT_FOUND', [sentence], { certain: true });

/** Sends the request for `count` messages before the given one and waits for the phone's answer. */
async function requestMessagesBefore(
  session: Session,
  { key, messageTimestamp }: Message,
  count: number,
): Promise<FetchedHistory> {
  const requestId = newMessageId();
  const { historyRequests, sendTimeout, ended } = session;
  // Phones identify a chat by its LID, if it has one.
  const chatJid = [key.remoteJid, key.remoteJidAlt].find((jid) => jid !== undefined && isLid(jid)) ?? key.remoteJid;
  const answered = historyRequests.add(requestId);
  const sent = requestFromPhone(session, requestId, {
    peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.HISTORY_SYNC_ON_DEMAND,
    historySyncOnDemandRequest: {
      chatJid,
      oldestMsgId: key.id,
      oldestMsgFromMe: key.fromMe,
      oldestMsgTimestampMs: messageTimestamp * 1000,
      onDemandMsgCount: count,
    },
  });
  try {
    const { messageCount, hasMore } = await withDeadline(
      sent.then(() => answered),
      {
        timeoutMs: sendTimeout,
        toTimeoutError: () =>
          new GatewayError('PLATFORM_TIMEOUT', 'The phone did not answer in time.', { certain: true }),
        signal: ended,
        toAbortError: () => notOpenError(session),
      },
    );
    const before = { key, messageTimestamp };
    return { chatId: key.remoteJid, requestId, count, before, messages: messageCount, hasMore };
  } finally {
    historyRequests.remove(requestId);
  }
}
