// Tracks the requests for older messages that the phone has not answered yet. Decision D-163.
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import { proto } from '../baileys/proto.ts';
import type { HistoryAnswer, SessionHistoryRequests } from '../session.ts';
import type { History } from './history.ts';

const { HistorySyncType } = proto.HistorySync;
const { COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: NO_MORE_MESSAGES } =
  proto.Conversation.EndOfHistoryTransferType;

export class HistoryRequests implements SessionHistoryRequests {
  /** The callers of add() run their requests in this queue: one request per chat at a time. */
  readonly queue = new KeyedQueue();
  /** The functions that resolve the promises of add(), by request id, in the order of the requests. */
  readonly #pending = new Map<string, (answer: HistoryAnswer) => void>();

  /** Resolves when the messages of the answer are stored. Call remove() afterwards, also when no answer has arrived. */
  add(requestId: string): Promise<HistoryAnswer> {
    return new Promise((resolve) => this.#pending.set(requestId, resolve));
  }

  remove(requestId: string): void {
    this.#pending.delete(requestId);
  }

  /**
   * Call this when all messages of a history are stored. If the history is the answer to a request, resolves the
   * promise that add() returned for this request. `peerDataRequestSessionId` is the id of the request. A history of the
   * type ON_DEMAND without this id counts as the answer to the oldest request. Ignores histories of other types, and
   * answers to unknown requests.
   */
  onStored({ syncType, peerDataRequestSessionId, chats, messages }: History): void {
    if (syncType !== HistorySyncType.ON_DEMAND) return;
    const [oldest] = this.#pending.keys();
    const requestId = peerDataRequestSessionId ?? oldest ?? '';
    // An answer contains one chat, whose `endOfHistoryTransferType` is optional. `hasMore` is null when it is unknown.
    const endType = chats[0]?.endOfHistoryTransferType;
    const hasMore = typeof endType === 'number' ? endType !== NO_MORE_MESSAGES : null;
    this.#pending.get(requestId)?.({ messageCount: messages.length, hasMore });
    this.#pending.delete(requestId);
  }
}
