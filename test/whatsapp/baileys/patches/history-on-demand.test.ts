import { type BaileysEventMap, proto } from '@whiskeysockets/baileys';
import { makeEventBuffer } from '@whiskeysockets/baileys/lib/Utils/event-buffer.js';
import { expect, it } from 'vitest';
import { patchHistoryOnDemand } from '../../../../src/whatsapp/baileys/patches/history-on-demand.ts';
import { silent } from '../../../support/session-fakes.ts';

type History = BaileysEventMap['messaging-history.set'];

const { RECENT, ON_DEMAND } = proto.HistorySync.HistorySyncType;
const messages = [{ key: { remoteJid: '1@s.whatsapp.net', id: 'A' } }];
const history = (syncType: number): History => ({
  syncType,
  messages,
  chats: [{ id: '1@s.whatsapp.net' }],
  contacts: [],
});

it('patchHistoryOnDemand() emits the complete answer to a history request, separate from other history', () => {
  const ev = makeEventBuffer(silent);
  const events: History[] = [];
  ev.on('messaging-history.set', (event: History) => events.push(event));
  patchHistoryOnDemand({ ev });
  ev.buffer();
  ev.emit('messaging-history.set', history(RECENT));
  ev.emit('messaging-history.set', { ...history(ON_DEMAND), peerDataRequestSessionId: 'R' });
  ev.flush();
  expect(events.map(({ syncType }) => syncType)).toEqual([RECENT, ON_DEMAND]);
  expect(events[1]).toMatchObject({ peerDataRequestSessionId: 'R', messages: [{ key: { id: 'A' } }] });
  expect(events[1]?.chats).toHaveLength(1);
});
