// Computes the progress of the history sync. A phone sends its history to a newly linked device in chunks. Each chunk
// states its type, and the percentage of this type that is complete after the chunk. The gateway splits a chunk into
// portions and reports progress after each portion. Decision D-141.
import type { DomainEvent, HistoryKind } from '../../events/events.ts';
import { proto } from '../baileys/proto.ts';
import type { History } from './history.ts';

type Progress = Extract<DomainEvent, { type: 'history.progress' }>;

const { INITIAL_BOOTSTRAP, RECENT, FULL } = proto.HistorySync.HistorySyncType;
const SYNC_TYPES = new Map<unknown, HistoryKind>([
  [INITIAL_BOOTSTRAP, 'INITIAL_BOOTSTRAP'],
  [RECENT, 'RECENT'],
  [FULL, 'FULL'],
]);

export class HistoryProgress {
  /** Type of the current chunk; undefined for a type without progress. */
  #syncType: HistoryKind | undefined;
  /** Percentage at the end of the previous chunk of the same type. */
  #startPercent = 0;
  /** Percentage of the last event. */
  #lastPercent = 0;
  /** Number of history messages in the events of this session. */
  #messageCount = 0;

  /**
   * Returns the progress event after a portion of a chunk, or [] when the percentage has not increased. Returns [] for
   * the last portion of a chunk, because onEnd() reports the end of the chunk. The phone sends only the percentage at
   * that end, so the percentages after the other portions are interpolated. `events` are those of the portion.
   * `processedCount` is the number of messages of the chunk that have been processed.
   */
  onPortion(
    { syncType, progress, messages }: History,
    processedCount: number,
    events: readonly DomainEvent[],
  ): Progress[] {
    this.#selectType(syncType);
    for (const event of events) {
      if (event.type === 'messages.set') this.#messageCount += event.messages.length;
    }
    if (!this.#syncType || typeof progress !== 'number') return [];
    if (processedCount === 0 || processedCount === messages.length) return [];
    const range = progress - this.#startPercent;
    const percent = Math.floor(this.#startPercent + (range * processedCount) / messages.length);
    if (percent <= this.#lastPercent) return [];
    this.#lastPercent = percent;
    return [{ ...this.#toEvent(this.#syncType, percent), done: false }];
  }

  /** Returns the progress event at the end of a chunk, or [] for types without progress. */
  onEnd({ syncType, progress, messages }: History): Progress[] {
    this.#selectType(syncType);
    if (typeof progress === 'number') {
      this.#startPercent = progress;
      this.#lastPercent = progress;
    }
    // A chunk of the type RECENT always follows, so an empty INITIAL_BOOTSTRAP is not reported.
    if (!this.#syncType || (this.#syncType === 'INITIAL_BOOTSTRAP' && messages.length === 0)) return [];
    const done = this.#syncType !== 'INITIAL_BOOTSTRAP' && progress === 100;
    return [{ ...this.#toEvent(this.#syncType, progress), done }];
  }

  /** Starts at 0 % when the type changes. */
  #selectType(syncType: History['syncType']): void {
    const next = SYNC_TYPES.get(syncType);
    if (next !== this.#syncType) {
      this.#startPercent = 0;
      this.#lastPercent = 0;
    }
    this.#syncType = next;
  }

  #toEvent(syncType: HistoryKind, progress: number | null | undefined): Omit<Progress, 'done'> {
    const event = { type: 'history.progress' as const, syncType, messages: this.#messageCount };
    return typeof progress === 'number' ? { ...event, progress } : event;
  }
}
