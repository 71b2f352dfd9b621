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
  const reported = vi.fn();
  ev.process(reported);
  const { promise, resolve } = Promise.withResolvers<void>();
  const upsert = ev.createBufferedFunction((wait: Promise<void>) => wait);
  const first = upsert(promise);
  // Another stanza is done meanwhile, so that the flush that is planned after the first finds nothing.
  ev.flush();
  resolve();
  await first;
  vi.advanceTimersByTime(200);
  const report = ev.createBufferedFunction(async () => void ev.emit('chats.delete', ['1@s.whatsapp.net']));
  await report();
  expect(reported).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(reported).toHaveBeenCalledWith({ 'chats.delete': ['1@s.whatsapp.net'] });
});

const chat = '1@s.whatsapp.net';

type Action = Parameters<typeof processSyncAction>[0]['syncAction']['value'];

/** A buffer, and functions that apply a change of the app state as its first sync, or as a later one. */
function chatChanges() {
  const ev = makeEventBuffer(pino({ enabled: false }));
  patchEventBuffer({ ev });
  const updates: object[] = [];
  ev.on('chats.update', (list) => void updates.push(...list));
  const settings = { accountSettings: { unarchiveChats: true } };
  const apply = (value: Action, name: string, initial?: typeof settings) =>
    processSyncAction({ syncAction: { value }, index: [name, chat] }, ev, { id: '2@s.whatsapp.net' }, initial);
  return {
    ev,
    updates,
    firstSync: (value: Action, name: string) => apply(value, name, settings),
    laterSync: (value: Action, name: string) => apply(value, name),
  };
}

it('patchEventBuffer() emits changes of the first sync whose chat has no history, and later changes of this chat', () => {
  const { ev, updates, firstSync, laterSync } = chatChanges();
  ev.buffer();
  firstSync({ muteAction: { muted: true, muteEndTimestamp: 5 } }, 'mute');
  firstSync({ markChatAsReadAction: { read: true } }, 'markChatAsRead');
  ev.flush();
  ev.buffer();
  laterSync({ archiveChatAction: { archived: true } }, 'archive');
  ev.flush();
  expect(updates).toEqual([
    expect.objectContaining({ id: chat, muteEndTime: 5 }),
    expect.objectContaining({ id: chat, archived: true }),
  ]);
});

it.each([
  { until: 9, emitted: [] },
  { until: 10, emitted: [expect.objectContaining({ id: chat, archived: true })] },
])('patchEventBuffer() compares a change up to $until with the history that left the buffer', ({ until, emitted }) => {
  const { ev, updates, firstSync } = chatChanges();
  ev.emit('messaging-history.set', {
    chats: [{ id: chat, lastMessageRecvTimestamp: 10 }],
    contacts: [],
    messages: [],
  });
  ev.buffer();
  firstSync({ archiveChatAction: { archived: true, messageRange: { lastMessageTimestamp: until } } }, 'archive');
  ev.flush();
  expect(updates).toEqual(emitted);
});
