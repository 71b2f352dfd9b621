// Tracks the requests for older messages that the phone has not answered yet. Decision D-163.
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import { proto } from '../baileys/proto.ts';
import type { HistoryAnswer, SessionHistoryRequests } from '../session.ts';
import type { History } from './history.ts';

const { HistorySyncType } = proto.HistorySync;
const { COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: NO_MORE_MESSAGES } =
  proto.Conversation.EndOfHistoryTransferType;

export class HistoryRequests implements SessionHistoryRequests {
  readonly queue = new KeyedQueue();
  /** In the order of the requests. */
  readonly #pending = new Map<string, (answer: HistoryAnswer) => void>();

  add(requestId: string): Promise<HistoryAnswer> {
    return new Promise((resolve) => this.#pending.set(requestId, resolve));
  }

  remove(requestId: string): void {
    this.#pending.delete(requestId);
  }

  /**
   * Handles a history whose messages are stored. When it does not name its request, it counts as the answer to the
   * oldest one. Ignores other kinds of history, and answers that nothing waits for.
   */
  onStored({ syncType, peerDataRequestSessionId, chats, messages }: History): void {
    if (syncType !== HistorySyncType.ON_DEMAND) return;
    const [oldest] = this.#pending.keys();
    const requestId = peerDataRequestSessionId ?? oldest ?? '';
    const end = chats[0]?.endOfHistoryTransferType;
    const hasMore = typeof end === 'number' ? end !== NO_MORE_MESSAGES : null;
    this.#pending.get(requestId)?.({ messageCount: messages.length, hasMore });
    this.#pending.delete(requestId);
  }
}
