// The messages by which a phone announces portions of its history. Baileys tells them at once, and what they announce when it has
// downloaded it, often in a later batch: until that is stored nobody may take them as done with. Stores nothing.
import { getHistoryMsg, PROCESSABLE_HISTORY_TYPES } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import type { History } from './history.ts';

type Notice = NonNullable<ReturnType<typeof getHistoryMsg>>;

export class HistoryNotices {
  readonly #isWanted: (notice: Notice) => boolean;
  /** In the order of arrival, in which rc14 also downloads what they announce: one message is in work at a time. */
  #waiting: { message: WireMessage; notice: Notice }[] = [];

  /** Ids of announcements whose history cannot be read, before they were taken here. */
  readonly #failed = new Set<string>();

  /** `isWanted` is what Baileys asks before it downloads what is announced. */
  constructor(isWanted: (notice: Notice) => boolean) {
    this.#isWanted = isWanted;
  }

  /**
   * Those messages of a batch, and of the batches before it, that are done with once it is stored, `past` (the history in it, possibly of
   * several announcements, described like the last of them) included.
   */
  completedBy(
    messages: readonly WireMessage[],
    past: Pick<History, 'syncType' | 'chunkOrder'> | undefined,
  ): WireMessage[] {
    const done: WireMessage[] = [];
    for (const message of messages) {
      const notice = noticeIn(message);
      if (notice && this.#isDownloaded(notice) && !this.#failed.delete(message.key.id ?? ''))
        this.#waiting.push({ message, notice });
      else done.push(message);
    }
    if (!past) return done;
    const last = this.#waiting.findLastIndex(
      ({ notice }) => notice.syncType === past.syncType && (notice.chunkOrder ?? null) === (past.chunkOrder ?? null),
    );
    return [...done, ...this.#waiting.splice(0, last + 1).map(({ message }) => message)];
  }

  /** The history that the message `id` announces cannot be read. Returns true when nothing else will say that the message is done with. */
  fail(id: string): boolean {
    const waiting = this.#waiting.findIndex(({ message }) => message.key.id === id);
    if (waiting < 0) this.#failed.add(id);
    else this.#waiting.splice(waiting, 1);
    return waiting >= 0;
  }

  #isDownloaded(notice: Notice): boolean {
    return PROCESSABLE_HISTORY_TYPES.some((type) => type === notice.syncType) && this.#isWanted(notice);
  }
}

/** The announcement in a message; undefined when there is none, or none that rc14 acts on: only the own phone has history to announce. */
function noticeIn({ key, message }: WireMessage): Notice | undefined {
  try {
    return (key.fromMe && message && getHistoryMsg(message)) || undefined;
  } catch {
    return undefined;
  }
}
