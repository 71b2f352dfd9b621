import { EventEmitter } from 'node:events';
import { Boom } from '@hapi/boom';
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

const lostConnection = new TypeError('fetch failed', { cause: new Error('reset') });
const mediaHostError = (statusCode: number) => new Boom('Failed to fetch stream', { statusCode });

/** A session in which Baileys has emitted the message `id`; fail() makes the rest of its processing fail. */
async function sessionWith(id: string) {
  const list = announced();
  const messageTurns = new MessageTurns();
  const stored: unknown[] = [];
  const buffer = {
    historyNotices: list,
    messageTurns,
    unstoredMessages: () => [],
    unstoredMessagesOf: () => [[{ stanza: { id } }]],
    markStored: (messages: WAMessage[]) => void stored.push(...ids(messages)),
  };
  const socket = { ws: new EventEmitter() };
  await resumeMessages(buffer as unknown as InboundBuffer, socket as unknown as WASocket, {
    auth: { creds: linkedCreds() },
    log: silent,
    ended: new AbortController().signal,
    reportUnprocessable: async () => true,
  });
  const turn = { stanza: undefined, partIds: new Set(['part']), emittedMessageIds: new Set([id]) };
  return { list, stored, fail: (err: unknown) => messageTurns.onFailure(err, turn) };
}

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
    ['before its report', 'before', lostConnection],
    ['after its report', 'after', lostConnection],
    ['because the host is overloaded', 'after', mediaHostError(429)],
    ['because the host is down', 'after', mediaHostError(503)],
    ['because the connection is closed', 'after', new Boom('Connection Closed', { statusCode: 428 })],
    ['because the connection is closed during a query', 'after', 1006],
  ])('a history whose download failed is left to the next session: %s', async (_, order, err) => {
    const { list, fail, stored } = await sessionWith('N1');
    if (order === 'before') await fail(err);
    expect(list.completedBy([notice('N1', RECENT, 1)], undefined)).toEqual([]);
    if (order === 'after') await fail(err);
    const later = list.completedBy([notice('N2', RECENT, 2)], { syncType: RECENT, chunkOrder: 2 });
    expect(ids(later)).toEqual(['N2']);
    expect(stored).toEqual([]);
  });

  it.each([
    'before',
    'after',
  ])('a history that arrives after another step of its message failed is complete: %s its report', (order) => {
    const list = announced();
    if (order === 'before') list.markNotDownloaded('N1');
    expect(list.completedBy([notice('N1', RECENT, 1)], undefined)).toEqual([]);
    if (order === 'after') list.markNotDownloaded('N1');
    expect(ids(list.completedBy([], { syncType: RECENT, chunkOrder: 1 }))).toEqual(['N1']);
    expect(ids(list.completedBy([], { syncType: RECENT, chunkOrder: 1 }))).toEqual([]);
  });

  it('the history of a later notice does not complete one that failed', () => {
    const list = announced();
    list.completedBy([notice('N1', RECENT, 1)], undefined);
    list.markNotDownloaded('N1');
    const repeated = list.completedBy([notice('N2', RECENT, 1)], { syncType: RECENT, chunkOrder: 1 });
    expect(ids(repeated)).toEqual(['N2']);
  });

  it.each([400, 403, 404, 410])('a history that the media host does not have is given up: %i', async (status) => {
    const { list, fail, stored } = await sessionWith('N1');
    expect(list.completedBy([notice('N1', RECENT, 1)], undefined)).toEqual([]);
    await fail(mediaHostError(status));
    expect(stored).toEqual(['N1']);
  });

  it('HistoryNotices completes unused notices like other messages', () => {
    expect(ids(announced().completedBy([notice('N', FULL, 1)], undefined))).toEqual(['N']);
  });
});
