import { EventEmitter } from 'node:events';
import { Boom } from '@hapi/boom';
import { proto, type WAMessage, type WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { MessageTurns } from '../../../src/whatsapp/baileys/patches/message-turns.ts';
import { HistoryNotices } from '../../../src/whatsapp/inbound/history-notices.ts';
import type { InboundBuffer } from '../../../src/whatsapp/inbound/inbound-buffer.ts';
import { resumeMessages } from '../../../src/whatsapp/inbound/resume.ts';
import { linkedCreds, silent } from '../../support/session-fakes.ts';

const { RECENT, FULL, INITIAL_BOOTSTRAP } = proto.HistorySync.HistorySyncType;

const textMessage = (id: string): WAMessage => ({ key: { id }, message: { conversation: id } });
const notice = (id: string, syncType: number, chunkOrder?: number): WAMessage => ({
  key: { id, fromMe: true },
  message: { protocolMessage: { historySyncNotification: { syncType, chunkOrder } } },
});
const ids = (messages: WAMessage[]) => messages.map(({ key }) => key.id);
const createNotices = () => new HistoryNotices(({ syncType }) => syncType !== FULL);

const lostConnection = new TypeError('fetch failed', { cause: new Error('reset') });
const mediaHostError = (statusCode: number) => new Boom('Failed to fetch stream', { statusCode });

/** Creates a session in which Baileys has emitted the message `id`. `fail()` fails the rest of its processing. */
async function createSession(id: string) {
  const notices = createNotices();
  const messageTurns = new MessageTurns();
  const storedIds: unknown[] = [];
  const buffer = {
    historyNotices: notices,
    messageTurns,
    listUnstoredMessages: () => [],
    listUnstoredMessagesOf: () => [[{ stanza: { id } }]],
    markStored: (messages: WAMessage[]) => void storedIds.push(...ids(messages)),
  };
  const socket = { ws: new EventEmitter() };
  await resumeMessages(buffer as unknown as InboundBuffer, socket as unknown as WASocket, {
    auth: { creds: linkedCreds() },
    log: silent,
    ended: new AbortController().signal,
    reportUnprocessable: async () => true,
  });
  const turn = { stanza: undefined, partIds: new Set(['part']), emittedMessageIds: new Set([id]) };
  return { notices, storedIds, fail: (err: unknown) => messageTurns.onFailure(err, turn) };
}

describe('HistoryNotices', () => {
  it('HistoryNotices.takeCompleted() returns a history notice with the batch that contains its history', () => {
    const notices = createNotices();
    expect(ids(notices.takeCompleted([textMessage('A'), notice('N', RECENT, 1)], undefined))).toEqual(['A']);
    expect(ids(notices.takeCompleted([textMessage('B')], undefined))).toEqual(['B']);
    expect(ids(notices.takeCompleted([], { syncType: RECENT, chunkOrder: 1 }))).toEqual(['N']);
    expect(ids(notices.takeCompleted([], { syncType: RECENT, chunkOrder: 1 }))).toEqual([]);
  });

  it('HistoryNotices.takeCompleted() returns all notices up to the one that describes the history', () => {
    const notices = createNotices();
    const batch = [notice('N0', INITIAL_BOOTSTRAP), notice('N1', RECENT, 1), notice('N2', RECENT, 2)];
    expect(ids(notices.takeCompleted(batch, { syncType: RECENT, chunkOrder: 1 }))).toEqual(['N0', 'N1']);
    expect(ids(notices.takeCompleted([], { syncType: INITIAL_BOOTSTRAP, chunkOrder: null }))).toEqual([]);
    expect(ids(notices.takeCompleted([], { syncType: RECENT, chunkOrder: 2 }))).toEqual(['N2']);
  });

  it.each([
    ['before its report', 'before', lostConnection],
    ['after its report', 'after', lostConnection],
    ['because the host is overloaded', 'after', mediaHostError(429)],
    ['because the host is down', 'after', mediaHostError(503)],
    ['because the connection is closed', 'after', new Boom('Connection Closed', { statusCode: 428 })],
    ['because the connection is closed during a query', 'after', 1006],
  ])('a history notice stays unstored for the next session when the download fails %s', async (_, order, err) => {
    const { notices, fail, storedIds } = await createSession('N1');
    if (order === 'before') await fail(err);
    expect(notices.takeCompleted([notice('N1', RECENT, 1)], undefined)).toEqual([]);
    if (order === 'after') await fail(err);
    const later = notices.takeCompleted([notice('N2', RECENT, 2)], { syncType: RECENT, chunkOrder: 2 });
    expect(ids(later)).toEqual(['N2']);
    expect(storedIds).toEqual([]);
  });

  it.each([
    'before',
    'after',
  ])('a history notice whose processing failed %s its report is completed when its history arrives', (order) => {
    const notices = createNotices();
    if (order === 'before') notices.markNotDownloaded('N1');
    expect(notices.takeCompleted([notice('N1', RECENT, 1)], undefined)).toEqual([]);
    if (order === 'after') notices.markNotDownloaded('N1');
    expect(ids(notices.takeCompleted([], { syncType: RECENT, chunkOrder: 1 }))).toEqual(['N1']);
    expect(ids(notices.takeCompleted([], { syncType: RECENT, chunkOrder: 1 }))).toEqual([]);
  });

  it('the history of a later notice does not complete a failed notice', () => {
    const notices = createNotices();
    notices.takeCompleted([notice('N1', RECENT, 1)], undefined);
    notices.markNotDownloaded('N1');
    const repeated = notices.takeCompleted([notice('N2', RECENT, 1)], { syncType: RECENT, chunkOrder: 1 });
    expect(ids(repeated)).toEqual(['N2']);
  });

  it.each([
    400, 403, 404, 410,
  ])('a history notice is marked as stored when the media host answers with %i', async (status) => {
    const { notices, fail, storedIds } = await createSession('N1');
    expect(notices.takeCompleted([notice('N1', RECENT, 1)], undefined)).toEqual([]);
    await fail(mediaHostError(status));
    expect(storedIds).toEqual(['N1']);
  });

  it('HistoryNotices.takeCompleted() returns a notice of an unwanted history at once, like other messages', () => {
    expect(ids(createNotices().takeCompleted([notice('N', FULL, 1)], undefined))).toEqual(['N']);
  });
});
