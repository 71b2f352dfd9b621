// Computes the progress of the history sync after a device is linked.

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
  #syncType: HistoryKind | undefined;
  /** Percentage at the end of the previous history of this kind. */
  #startPercent = 0;
  #lastPercent = 0;
  #messageCount = 0;

  /**
   * Returns the progress event for a portion from which `events` were mapped, after `taken` messages of its history;
   * none while the percentage is unchanged. Phones only send the percentage at the end of a history, so messages before
   * it count equally.
   */
  onPortion({ syncType, progress, messages }: History, taken: number, events: readonly DomainEvent[]): Progress[] {
    this.#selectKind(syncType);
    for (const event of events) if (event.type === 'messages.set') this.#messageCount += event.messages.length;
    if (!this.#syncType || typeof progress !== 'number' || taken === 0 || taken === messages.length) return [];
    const now = Math.floor(this.#startPercent + ((progress - this.#startPercent) * taken) / messages.length);
    if (now <= this.#lastPercent) return [];
    this.#lastPercent = now;
    return [{ ...this.#toEvent(this.#syncType, now), done: false }];
  }

  /** Returns the progress event at the end of a history. */
  onEnd({ syncType, progress, messages }: History): Progress[] {
    this.#selectKind(syncType);
    if (typeof progress === 'number') this.#startPercent = this.#lastPercent = progress;
    // RECENT always follows, so an empty bootstrap is not reported.
    if (!this.#syncType || (this.#syncType === 'INITIAL_BOOTSTRAP' && messages.length === 0)) return [];
    const done = this.#syncType !== 'INITIAL_BOOTSTRAP' && progress === 100;
    return [{ ...this.#toEvent(this.#syncType, progress), done }];
  }

  #selectKind(syncType: History['syncType']): void {
    const next = SYNC_TYPES.get(syncType);
    if (next !== this.#syncType) this.#startPercent = this.#lastPercent = 0;
    this.#syncType = next;
  }

  #toEvent(syncType: HistoryKind, progress: number | null | undefined): Omit<Progress, 'done'> {
    const event = { type: 'history.progress' as const, syncType, messages: this.#messageCount };
    return typeof progress === 'number' ? { ...event, progress } : event;
  }
}
