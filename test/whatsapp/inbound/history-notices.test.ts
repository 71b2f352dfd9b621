import { EventEmitter } from 'node:events';
import { proto, type WAMessage, type WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { MessageTurns } from '../../../src/whatsapp/baileys/patches/message-turns.ts';
import { HistoryNotices } from '../../../src/whatsapp/inbound/history-notices.ts';
import type { InboundBuffer } from '../../../src/whatsapp/inbound/inbound-buffer.ts';
import { resumeMessages } from '../../../src/whatsapp/inbound/resume.ts';
import { linkedCreds, silent } from '../fakes.ts';

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

  it.each([
    'before',
    'after',
  ])('a history whose download failed is left to the next session: %s its report', async (order) => {
    const list = announced();
    const messageTurns = new MessageTurns();
    const part = { stanza: { id: 'N1' } };
    const buffer = {
      historyNotices: list,
      messageTurns,
      unstoredMessages: () => [],
      unstoredMessagesOf: () => [[part]],
    };
    const socket = { ws: new EventEmitter() };
    await resumeMessages(buffer as unknown as InboundBuffer, socket as unknown as WASocket, {
      auth: { creds: linkedCreds() },
      log: silent,
      ended: new AbortController().signal,
      reportUnprocessable: async () => true,
    });
    const turn = { decryptedPartIds: new Set(['part']), emittedMessageIds: new Set(['N1']) };
    const fail = () => messageTurns.onFailure(new TypeError('fetch failed', { cause: new Error('reset') }), turn);
    if (order === 'before') await fail();
    expect(list.completedBy([notice('N1', RECENT, 1)], undefined)).toEqual([]);
    if (order === 'after') await fail();
    const later = list.completedBy([notice('N2', RECENT, 2)], { syncType: RECENT, chunkOrder: 2 });
    expect(ids(later)).toEqual(['N2']);
  });

  it('HistoryNotices completes unused notices like other messages', () => {
    expect(ids(announced().completedBy([notice('N', FULL, 1)], undefined))).toEqual(['N']);
  });
});
