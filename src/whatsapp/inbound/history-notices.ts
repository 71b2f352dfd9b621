// Tracks history notices: messages with which a phone announces a part of its history. Baileys reports the message
// immediately, and the history after the download, often in a later batch of events. In the buffer of received messages
// (inbound-buffer.ts), the message must not be marked as stored before its history is stored.
import { BoundedMap } from '../../lib/bounded-map.ts';
import { getHistoryMsg, PROCESSABLE_HISTORY_TYPES } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { toSecondsOrZero } from '../content/message.ts';
import type { History } from './history.ts';

/** Maximum number of failures to remember. A phone sends a history in at most a few hundred parts. */
const MAX_FAILURES = 1_000;

type Notice = NonNullable<ReturnType<typeof getHistoryMsg>>;

/** A message and the history notice in it. */
interface Announcement {
  message: WireMessage;
  notice: Notice;
}

export class HistoryNotices {
  readonly #isWanted: (notice: Notice) => boolean;
  /**
   * Messages whose history is not downloaded yet, in order of arrival. Baileys rc14 downloads in the same order,
   * because it processes one message at a time.
   */
  readonly #waiting: Announcement[] = [];

  /**
   * Messages whose processing failed in a way that the next session can repair. The history of such a message can still
   * arrive in this session, because Baileys rc14 continues the download when another step of the processing has failed.
   */
  readonly #failed: Announcement[] = [];

  /** The failures of messages that takeCompleted() has not received yet, by message id. */
  readonly #failures = new BoundedMap<string, 'unreadable' | 'not downloaded'>(MAX_FAILURES);

  /** `isWanted` returns false for notices whose history Baileys must not download. */
  constructor(isWanted: (notice: Notice) => boolean) {
    this.#isWanted = isWanted;
  }

  /**
   * Returns the messages of this batch and of earlier batches that can be marked as stored when this batch is stored.
   * `messages` and `history` are the content of this batch. The history can combine the parts of several notices. It
   * then has the `syncType` and `chunkOrder` of the last of these notices.
   */
  takeCompleted(
    messages: readonly WireMessage[],
    history: Pick<History, 'syncType' | 'chunkOrder'> | undefined,
  ): WireMessage[] {
    const done: WireMessage[] = [];
    for (const message of messages) {
      const notice = noticeIn(message);
      const failure = this.#takeFailure(message.key.id ?? '');
      if (!notice || !this.#willBeDownloaded(notice) || failure === 'unreadable') done.push(message);
      else if (failure) this.#failed.push({ message, notice });
      else this.#waiting.push({ message, notice });
    }
    return history ? [...done, ...this.#takeAnnouncementsOf(history).map(({ message }) => message)] : done;
  }

  /**
   * Removes and returns the announcements of a history. A history can combine several notices, so the result is all
   * waiting announcements up to the last one that has this `syncType` and `chunkOrder`. If no waiting announcement has
   * them, removes and returns a failed announcement that has them.
   */
  #takeAnnouncementsOf({ syncType, chunkOrder }: Pick<History, 'syncType' | 'chunkOrder'>): Announcement[] {
    const isOfHistory = ({ notice }: Announcement) =>
      notice.syncType === syncType && (notice.chunkOrder ?? null) === (chunkOrder ?? null);
    const last = this.#waiting.findLastIndex(isOfHistory);
    if (last >= 0) return this.#waiting.splice(0, last + 1);
    const failed = this.#failed.findIndex(isOfHistory);
    return failed >= 0 ? this.#failed.splice(failed, 1) : [];
  }

  /**
   * Stops waiting for the history of the message `id`, because the history cannot be read. Returns true when the caller
   * must mark the message as stored. Otherwise takeCompleted() returns the message later.
   */
  markUnreadable(id: string): boolean {
    const wasWaiting = this.#stopWaiting(id).length > 0;
    if (!wasWaiting) this.#failures.set(id, 'unreadable');
    return wasWaiting;
  }

  /**
   * Stops waiting for the history of the message `id`, because its download or another step failed. takeCompleted()
   * then returns the message only together with its own history, if that still arrives. Otherwise the message stays in
   * the buffer, and the next session downloads the history.
   */
  markNotDownloaded(id: string): void {
    const stopped = this.#stopWaiting(id);
    if (stopped.length > 0) this.#failed.push(...stopped);
    else this.#failures.set(id, 'not downloaded');
  }

  /** Removes the message `id` from #waiting and returns its announcement; [] when the message does not wait. */
  #stopWaiting(id: string): Announcement[] {
    const index = this.#waiting.findIndex(({ message }) => message.key.id === id);
    return index >= 0 ? this.#waiting.splice(index, 1) : [];
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

/**
 * Returns when the phone sent the first of the history notices in these messages, in seconds since the epoch. Returns
 * undefined without a notice or its time.
 */
export function historySentAt(messages: readonly WireMessage[]): number | undefined {
  const times = messages.filter(noticeIn).map(({ messageTimestamp }) => toSecondsOrZero(messageTimestamp));
  return times.length > 0 ? Math.min(...times) || undefined : undefined;
}

/** Returns the history notice in a message, or undefined. Baileys rc14 accepts only notices of the account itself. */
function noticeIn({ key, message }: WireMessage): Notice | undefined {
  try {
    return (key.fromMe && message && getHistoryMsg(message)) || undefined;
  } catch {
    return undefined;
  }
}
