import { makeEventBuffer } from '@whiskeysockets/baileys';
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
