// Tracks the messages with which a phone announces parts of its history. Baileys reports such a message immediately and
// its history after the download, often in a later batch. The message counts as stored only when its history is stored.
import { getHistoryMsg, PROCESSABLE_HISTORY_TYPES } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import type { History } from './history.ts';

type Notice = NonNullable<ReturnType<typeof getHistoryMsg>>;

export class HistoryNotices {
  readonly #isWanted: (notice: Notice) => boolean;
  /** In order of arrival. Baileys rc14 downloads in the same order, because it processes one message at a time. */
  #waiting: { message: WireMessage; notice: Notice }[] = [];

  /** Ids of messages whose history failed before they were added here. */
  readonly #unreadable = new Set<string>();

  /** `isWanted` is the check that Baileys makes before a download. */
  constructor(isWanted: (notice: Notice) => boolean) {
    this.#isWanted = isWanted;
  }

  /**
   * Returns the messages, of this batch and earlier ones, that are complete when the batch is stored. `past` is the
   * history in the batch; it may combine several notices and then describes the last of them.
   */
  completedBy(
    messages: readonly WireMessage[],
    past: Pick<History, 'syncType' | 'chunkOrder'> | undefined,
  ): WireMessage[] {
    const done: WireMessage[] = [];
    for (const message of messages) {
      const notice = noticeIn(message);
      if (notice && this.#isDownloaded(notice) && !this.#unreadable.delete(message.key.id ?? ''))
        this.#waiting.push({ message, notice });
      else done.push(message);
    }
    if (!past) return done;
    const last = this.#waiting.findLastIndex(
      ({ notice }) => notice.syncType === past.syncType && (notice.chunkOrder ?? null) === (past.chunkOrder ?? null),
    );
    return [...done, ...this.#waiting.splice(0, last + 1).map(({ message }) => message)];
  }

  /** The history of message `id` cannot be read. Returns true when nothing else will complete the message. */
  markUnreadable(id: string): boolean {
    const waiting = this.#waiting.findIndex(({ message }) => message.key.id === id);
    if (waiting < 0) this.#unreadable.add(id);
    else this.#waiting.splice(waiting, 1);
    return waiting >= 0;
  }

  #isDownloaded(notice: Notice): boolean {
    return PROCESSABLE_HISTORY_TYPES.some((type) => type === notice.syncType) && this.#isWanted(notice);
  }
}

/** Returns the history notice in a message, or undefined. rc14 only accepts notices of the own phone. */
function noticeIn({ key, message }: WireMessage): Notice | undefined {
  try {
    return (key.fromMe && message && getHistoryMsg(message)) || undefined;
  } catch {
    return undefined;
  }
}
