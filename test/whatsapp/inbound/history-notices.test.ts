import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { HistoryNotices } from '../../../src/whatsapp/inbound/history-notices.ts';

const { RECENT, FULL, INITIAL_BOOTSTRAP } = proto.HistorySync.HistorySyncType;

const text = (id: string): WAMessage => ({ key: { id }, message: { conversation: id } });
const notice = (id: string, syncType: number, chunkOrder?: number): WAMessage => ({
  key: { id, fromMe: true },
  message: { protocolMessage: { historySyncNotification: { syncType, chunkOrder } } },
});
const ids = (messages: WAMessage[]) => messages.map(({ key }) => key.id);
const announced = () => new HistoryNotices(({ syncType }) => syncType !== FULL);

describe('announcements of history', () => {
  it('HistoryNotices completes a notice when its history is stored, in any batch', () => {
    const list = announced();
    expect(ids(list.completedBy([text('A'), notice('N', RECENT, 1)], undefined))).toEqual(['A']);
    expect(ids(list.completedBy([text('B')], undefined))).toEqual(['B']);
    expect(ids(list.completedBy([], { syncType: RECENT, chunkOrder: 1 }))).toEqual(['N']);
    expect(ids(list.completedBy([], { syncType: RECENT, chunkOrder: 1 }))).toEqual([]);
  });

  it('HistoryNotices completes all notices up to the one that describes the history', () => {
    const list = announced();
    const batch = [notice('N0', INITIAL_BOOTSTRAP), notice('N1', RECENT, 1), notice('N2', RECENT, 2)];
    expect(ids(list.completedBy(batch, { syncType: RECENT, chunkOrder: 1 }))).toEqual(['N0', 'N1']);
    expect(ids(list.completedBy([], { syncType: INITIAL_BOOTSTRAP, chunkOrder: null }))).toEqual([]);
    expect(ids(list.completedBy([], { syncType: RECENT, chunkOrder: 2 }))).toEqual(['N2']);
  });

  it('HistoryNotices completes unused notices like other messages', () => {
    expect(ids(announced().completedBy([notice('N', FULL, 1)], undefined))).toEqual(['N']);
  });
});
