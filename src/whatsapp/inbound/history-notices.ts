// Tracks history notices: messages with which a phone announces a part of its history. Baileys reports the message
// immediately, and the history after the download, often in a later batch. The message must not be marked as stored
// before its history is stored.
import { BoundedMap } from '../../lib/bounded-map.ts';
import { getHistoryMsg, PROCESSABLE_HISTORY_TYPES } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import type { History } from './history.ts';

/** A phone sends a history in at most a few hundred parts. */
const MAX_FAILURES = 1_000;

type Notice = NonNullable<ReturnType<typeof getHistoryMsg>>;

export class HistoryNotices {
  readonly #isWanted: (notice: Notice) => boolean;
  /**
   * Messages whose history is not downloaded yet, in order of arrival. Baileys rc14 downloads in the same order,
   * because it processes one message at a time.
   */
  #waiting: { message: WireMessage; notice: Notice }[] = [];

  /** The failures that were reported before completedBy() got the message, by message id. */
  readonly #failures = new BoundedMap<string, 'unreadable' | 'not downloaded'>(MAX_FAILURES);

  /** `isWanted` returns false for notices whose history Baileys must not download. */
  constructor(isWanted: (notice: Notice) => boolean) {
    this.#isWanted = isWanted;
  }

  /**
   * Returns the messages, of this batch and of earlier ones, that can be marked as stored when this batch is stored.
   * `messages` and `history` are the content of the batch. The history can combine the parts of several notices. It
   * then has the `syncType` and `chunkOrder` of the last of these notices.
   */
  completedBy(
    messages: readonly WireMessage[],
    history: Pick<History, 'syncType' | 'chunkOrder'> | undefined,
  ): WireMessage[] {
    const done: WireMessage[] = [];
    for (const message of messages) {
      const notice = noticeIn(message);
      const failure = this.#takeFailure(message.key.id ?? '');
      if (!notice || !this.#willBeDownloaded(notice) || failure === 'unreadable') done.push(message);
      else if (!failure) this.#waiting.push({ message, notice });
    }
    if (!history) return done;
    const { syncType, chunkOrder } = history;
    const last = this.#waiting.findLastIndex(
      ({ notice }) => notice.syncType === syncType && (notice.chunkOrder ?? null) === (chunkOrder ?? null),
    );
    return [...done, ...this.#waiting.splice(0, last + 1).map(({ message }) => message)];
  }

  /**
   * Stops waiting for the history of the message `id`, because the history cannot be read. Returns true when the caller
   * must mark the message as stored. Otherwise completedBy() returns the message later.
   */
  markUnreadable(id: string): boolean {
    const wasWaiting = this.#stopWaiting(id);
    if (!wasWaiting) this.#failures.set(id, 'unreadable');
    return wasWaiting;
  }

  /**
   * Stops waiting for the history of the message `id`, because its download failed. completedBy() then never returns
   * the message, so that it stays in the buffer and the next session downloads the history.
   */
  markNotDownloaded(id: string): void {
    if (!this.#stopWaiting(id)) this.#failures.set(id, 'not downloaded');
  }

  /** Returns false when the message `id` does not wait. */
  #stopWaiting(id: string): boolean {
    const index = this.#waiting.findIndex(({ message }) => message.key.id === id);
    if (index >= 0) this.#waiting.splice(index, 1);
    return index >= 0;
  }

  #takeFailure(id: string): 'unreadable' | 'not downloaded' | undefined {
    const failure = this.#failures.get(id);
    this.#failures.delete(id);
    return failure;
  }

  #willBeDownloaded(notice: Notice): boolean {
    return PROCESSABLE_HISTORY_TYPES.some((type) => type === notice.syncType) && this.#isWanted(notice);
  }
}

/** Returns the history notice in a message, or undefined. Baileys rc14 accepts only notices of the account itself. */
function noticeIn({ key, message }: WireMessage): Notice | undefined {
  try {
    return (key.fromMe && message && getHistoryMsg(message)) || undefined;
  } catch {
    return undefined;
  }
}
