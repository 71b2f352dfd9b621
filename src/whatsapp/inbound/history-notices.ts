// Tracks history notices: messages with which a phone announces a part of its history. Baileys reports the message
// immediately, and the history after the download, often in a later batch. The message must not be marked as stored
// before its history is stored.
import { BoundedMap } from '../../lib/bounded-map.ts';
import { getHistoryMsg, PROCESSABLE_HISTORY_TYPES } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import type { History } from './history.ts';

/** A phone sends a history in at most a few hundred parts. */
const MAX_UNREADABLE = 1_000;

type Notice = NonNullable<ReturnType<typeof getHistoryMsg>>;

export class HistoryNotices {
  readonly #isWanted: (notice: Notice) => boolean;
  /**
   * Messages whose history is not downloaded yet, in order of arrival. Baileys rc14 downloads in the same order,
   * because it processes one message at a time.
   */
  #waiting: { message: WireMessage; notice: Notice }[] = [];

  /** Ids of messages whose history turned out to be unreadable before completedBy() got the message. */
  readonly #unreadable = new BoundedMap<string, true>(MAX_UNREADABLE);

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
      if (notice && this.#willBeDownloaded(notice) && !this.#unreadable.delete(message.key.id ?? ''))
        this.#waiting.push({ message, notice });
      else done.push(message);
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
    const index = this.#waiting.findIndex(({ message }) => message.key.id === id);
    if (index < 0) this.#unreadable.set(id, true);
    else this.#waiting.splice(index, 1);
    return index >= 0;
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
