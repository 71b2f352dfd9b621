// The progress events while the history of a phone is stored.
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

/** The events of a stored portion with `count` new messages. */
const portionEvents = (count: number): DomainEvent[] => [
  {
    type: 'messages.set',
    messages: Array.from({ length: count }, (_, n) => ({
      key: { remoteJid: '1@s.whatsapp.net', fromMe: false, id: `${n}` },
      ...{ message: {}, messageType: 'conversation', messageTimestamp: 1, source: 'android' as const },
    })),
  },
];

/**
 * Processes a chunk whose messages are all new. Returns percentage, message count and `done` of each progress event.
 */
function processChunk(progress: HistoryProgress, chunk: History): [number | undefined, number, boolean][] {
  const progressEvents: ReturnType<HistoryProgress['onEnd']> = [];
  for (let processedCount = 0; processedCount < chunk.messages.length; ) {
    const count = Math.min(100, chunk.messages.length - processedCount);
    processedCount += count;
    progressEvents.push(...progress.onPortion(chunk, processedCount, portionEvents(count)));
  }
  progressEvents.push(...progress.onEnd(chunk));
  return progressEvents.map((event) => [event.progress, event.messages, event.done]);
}

describe('HistoryProgress', () => {
  it('HistoryProgress increases the percentage with each portion and ends each history type with done', () => {
    const progress = new HistoryProgress();
    expect(processChunk(progress, history(INITIAL_BOOTSTRAP, 100, 50))).toEqual([[100, 50, false]]);
    expect(processChunk(progress, history(PUSH_NAME, null))).toEqual([]);
    expect(processChunk(progress, history(RECENT, 40, 400))).toEqual([
      [10, 150, false],
      [20, 250, false],
      [30, 350, false],
      [40, 450, false],
    ]);
    expect(processChunk(progress, history(RECENT, 100, 150))).toEqual([
      [80, 550, false],
      [100, 600, true],
    ]);
    expect(processChunk(progress, history(FULL, 50, 1))).toEqual([[50, 601, false]]);
    expect(processChunk(progress, history(FULL, 100, 1))).toEqual([[100, 602, true]]);
  });

  it('HistoryProgress reports a percentage only when it increases', () => {
    expect(processChunk(new HistoryProgress(), history(RECENT, 2, 1000)).map(([percent]) => percent)).toEqual([1, 2]);
  });

  it('HistoryProgress reports an empty history once', () => {
    const progress = new HistoryProgress();
    expect(processChunk(progress, history(INITIAL_BOOTSTRAP, 100))).toEqual([]);
    expect(processChunk(progress, history(RECENT, 100))).toEqual([[100, 0, true]]);
  });

  it('HistoryProgress reports no percentage and no end when the phone sends no percentage', () => {
    expect(processChunk(new HistoryProgress(), history(RECENT, null, 300))).toEqual([[undefined, 300, false]]);
  });

  it('HistoryProgress ignores the history that the phone sends on demand', () => {
    const { ON_DEMAND } = proto.HistorySync.HistorySyncType;
    expect(processChunk(new HistoryProgress(), history(ON_DEMAND, 100, 300))).toEqual([]);
  });
});
