// What integrators receive while the history of a phone is stored.
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/events/events.ts';
import type { History } from '../../../src/whatsapp/inbound/history.ts';
import { HistoryProgress } from '../../../src/whatsapp/inbound/history-progress.ts';

const { INITIAL_BOOTSTRAP, PUSH_NAME, RECENT, FULL } = proto.HistorySync.HistorySyncType;

const history = (syncType: History['syncType'], progress: number | null, count = 0): History => ({
  ...{ syncType, progress, chats: [], contacts: [] },
  messages: Array.from({ length: count }, () => ({ key: {} })),
});

/** The portion as it was stored, with so many messages that were new. */
const stored = (count: number): DomainEvent[] => [
  {
    type: 'messages.set',
    messages: Array.from({ length: count }, (_, n) => ({
      key: { remoteJid: '1@s.whatsapp.net', fromMe: false, id: `${n}` },
      ...{ message: {}, messageType: 'conversation', messageTimestamp: 1, source: 'android' as const },
    })),
  },
];

/** Takes a history whose messages are all new; the percentages and counts that were reported. */
function take(progress: HistoryProgress, past: History): [number | undefined, number, boolean][] {
  const progressEvents: ReturnType<HistoryProgress['onEnd']> = [];
  for (let taken = 0; taken < past.messages.length; ) {
    const count = Math.min(100, past.messages.length - taken);
    taken += count;
    progressEvents.push(...progress.onPortion(past, taken, stored(count)));
  }
  progressEvents.push(...progress.onEnd(past));
  return progressEvents.map((event) => [event.progress, event.messages, event.done]);
}

describe('the progress of the past', () => {
  it('HistoryProgress rises from portion to portion and ends with done', () => {
    const progress = new HistoryProgress();
    expect(take(progress, history(INITIAL_BOOTSTRAP, 100, 50))).toEqual([[100, 50, false]]);
    expect(take(progress, history(PUSH_NAME, null))).toEqual([]);
    expect(take(progress, history(RECENT, 40, 400))).toEqual([
      [10, 150, false],
      [20, 250, false],
      [30, 350, false],
      [40, 450, false],
    ]);
    expect(take(progress, history(RECENT, 100, 150))).toEqual([
      [80, 550, false],
      [100, 600, true],
    ]);
    expect(take(progress, history(FULL, 50, 1))).toEqual([[50, 601, false]]);
    expect(take(progress, history(FULL, 100, 1))).toEqual([[100, 602, true]]);
  });

  it('HistoryProgress reports only changes', () => {
    expect(take(new HistoryProgress(), history(RECENT, 2, 1000)).map(([share]) => share)).toEqual([1, 2]);
  });

  it('HistoryProgress reports an empty history once', () => {
    const progress = new HistoryProgress();
    expect(take(progress, history(INITIAL_BOOTSTRAP, 100))).toEqual([]);
    expect(take(progress, history(RECENT, 100))).toEqual([[100, 0, true]]);
  });

  it('HistoryProgress has no percentage and no end when the phone sends none', () => {
    expect(take(new HistoryProgress(), history(RECENT, null, 300))).toEqual([[undefined, 300, false]]);
  });

  it('HistoryProgress ignores history that the gateway requests later', () => {
    const { ON_DEMAND } = proto.HistorySync.HistorySyncType;
    expect(take(new HistoryProgress(), history(ON_DEMAND, 100, 300))).toEqual([]);
  });
});
