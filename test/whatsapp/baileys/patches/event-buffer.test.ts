import { makeEventBuffer, processSyncAction } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { patchEventBuffer } from '../../../../src/whatsapp/baileys/patches/event-buffer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

// Found by npm run fuzz: a message that arrived while the account was offline was posted 30 s after its receipt.
it('patchEventBuffer() emits an event that is buffered after a flush of an empty buffer', async () => {
  const ev = makeEventBuffer(pino({ enabled: false }));
  patchEventBuffer({ ev });
  const onBatch = vi.fn();
  ev.process(onBatch);
  const { promise, resolve } = Promise.withResolvers<void>();
  const upsert = ev.createBufferedFunction((wait: Promise<void>) => wait);
  const first = upsert(promise);
  // The end of another stanza flushes the buffer, so that the flush planned after the first stanza finds it empty.
  ev.flush();
  resolve();
  await first;
  vi.advanceTimersByTime(200);
  const emitDeletion = ev.createBufferedFunction(async () => void ev.emit('chats.delete', ['1@s.whatsapp.net']));
  await emitDeletion();
  expect(onBatch).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(onBatch).toHaveBeenCalledWith({ 'chats.delete': ['1@s.whatsapp.net'] });
});

const CHAT = '1@s.whatsapp.net';

type Action = Parameters<typeof processSyncAction>[0]['syncAction']['value'];

/** Creates a patched buffer, and functions that apply a change of the app state in its first sync or in a later one. */
function setUp() {
  const ev = makeEventBuffer(pino({ enabled: false }));
  patchEventBuffer({ ev });
  const updates: object[] = [];
  ev.on('chats.update', (list) => void updates.push(...list));
  const settings = { accountSettings: { unarchiveChats: true } };
  const apply = (value: Action, name: string, initial?: typeof settings) =>
    processSyncAction({ syncAction: { value }, index: [name, CHAT] }, ev, { id: '2@s.whatsapp.net' }, initial);
  return {
    ev,
    updates,
    applyInFirstSync: (value: Action, name: string) => apply(value, name, settings),
    applyInLaterSync: (value: Action, name: string) => apply(value, name),
  };
}

it('patchEventBuffer() emits changes of the first sync whose chat has no history, and later changes of this chat', () => {
  const { ev, updates, applyInFirstSync, applyInLaterSync } = setUp();
  ev.buffer();
  applyInFirstSync({ muteAction: { muted: true, muteEndTimestamp: 5 } }, 'mute');
  applyInFirstSync({ markChatAsReadAction: { read: true } }, 'markChatAsRead');
  ev.flush();
  ev.buffer();
  applyInLaterSync({ archiveChatAction: { archived: true } }, 'archive');
  ev.flush();
  expect(updates).toEqual([
    expect.objectContaining({ id: CHAT, muteEndTime: 5 }),
    expect.objectContaining({ id: CHAT, archived: true }),
  ]);
});

it.each([
  { until: 9, emitted: [] },
  { until: 10, emitted: [expect.objectContaining({ id: CHAT, archived: true })] },
])('patchEventBuffer() emits a change only if the flushed history has no newer message (change up to $until)', ({
  until,
  emitted,
}) => {
  const { ev, updates, applyInFirstSync } = setUp();
  ev.emit('messaging-history.set', {
    chats: [{ id: CHAT, lastMessageRecvTimestamp: 10 }],
    contacts: [],
    messages: [],
  });
  ev.buffer();
  applyInFirstSync({ archiveChatAction: { archived: true, messageRange: { lastMessageTimestamp: until } } }, 'archive');
  ev.flush();
  expect(updates).toEqual(emitted);
});
