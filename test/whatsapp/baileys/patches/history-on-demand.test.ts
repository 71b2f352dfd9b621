import { type BaileysEventMap, proto } from '@whiskeysockets/baileys';
import { makeEventBuffer } from '@whiskeysockets/baileys/lib/Utils/event-buffer.js';
import { expect, it } from 'vitest';
import { patchHistoryOnDemand } from '../../../../src/whatsapp/baileys/patches/history-on-demand.ts';
import { silent } from '../../fakes.ts';

type History = BaileysEventMap['messaging-history.set'];

const { RECENT, ON_DEMAND } = proto.HistorySync.HistorySyncType;
const messages = [{ key: { remoteJid: '1@s.whatsapp.net', id: 'A' } }];
const history = (syncType: number): History => ({
  syncType,
  messages,
  chats: [{ id: '1@s.whatsapp.net' }],
  contacts: [],
});

it('an answer to a request for older messages is complete and apart from other history', () => {
  const ev = makeEventBuffer(silent);
  const reported: History[] = [];
  ev.on('messaging-history.set', (each: History) => reported.push(each));
  patchHistoryOnDemand({ ev });
  ev.buffer();
  ev.emit('messaging-history.set', history(RECENT));
  ev.emit('messaging-history.set', { ...history(ON_DEMAND), peerDataRequestSessionId: 'R' });
  ev.flush();
  expect(reported.map(({ syncType }) => syncType)).toEqual([RECENT, ON_DEMAND]);
  expect(reported[1]).toMatchObject({ peerDataRequestSessionId: 'R', messages: [{ key: { id: 'A' } }] });
  expect(reported[1]?.chats).toHaveLength(1);
});
