// Searches of more messages than SQLite compares in one slice.
import { expect, it } from 'vitest';
import { toChunks } from '../../../src/lib/chunks.ts';
import type { MessageFilter, PageRange } from '../../../src/storage/storage.ts';
import { CHAT, change, key, message, toEventBatch } from '../../support/sample-rows.ts';
import type { OpenFixture } from './fixture.ts';

export function messageSliceTests(open: OpenFixture): void {
  it('find(), count() and findStatuses() return correct pages when they search more messages than one slice has', async () => {
    const { storage } = await open();
    const COUNT = 9_000;
    const messages = Array.from({ length: COUNT }, (_, n) =>
      message(`m${n}`, {
        messageTimestamp: Math.floor(n / 7),
        key: key(`m${n}`, { remoteJid: n % 3 === 0 ? '7@lid' : CHAT, fromMe: n % 2 === 0 }),
        messageType: n % 1_000 === 0 ? 'imageMessage' : 'conversation',
      }),
    );
    // On a busy machine, one statement for all messages can reach the time limit of statements.
    for (const portion of toChunks(messages, 1_000)) {
      const own = portion.filter(({ key }) => key.fromMe);
      const statuses = own.map(({ key }) => ({ change: change(key.id, 'READ', { key }), events: [] }));
      const stored = portion.map((one) => ({ message: one, events: [] }));
      await storage.messages.record('a', toEventBatch({ messages: stored, statuses }));
    }
    const found = async (filter: MessageFilter, range: PageRange) =>
      (await storage.messages.find('a', filter, range)).map(({ message: { key } }) => key.id);
    const newestFirst = Array.from({ length: COUNT }, (_, n) => COUNT - 1 - n);
    const searches: [MessageFilter, (n: number) => boolean][] = [
      [{ fromMe: true }, (n) => n % 2 === 0],
      [{ types: ['imageMessage'] }, (n) => n % 1_000 === 0],
      [{ chatAddresses: [CHAT, '7@lid'], fromMe: true }, (n) => n % 2 === 0],
      [{ chatAddresses: ['7@lid'], types: ['imageMessage'] }, (n) => n % 3_000 === 0],
      [{ chatAddresses: [CHAT, '7@lid', CHAT] }, () => true],
      [{ since: 100, until: 1_000, fromMe: true }, (n) => n % 2 === 0 && n >= 700 && n < 7_007],
    ];
    for (const [filter, isExpected] of searches) {
      const expected = newestFirst.filter(isExpected).map((n) => `m${n}`);
      expect(await storage.messages.count('a', filter), JSON.stringify(filter)).toBe(expected.length);
      for (const [offset, limit] of [
        [0, 5],
        [3, 1_000],
        [2_500, 900],
        [4_400, 1_000],
      ] as const)
        expect(await found(filter, { offset, limit })).toEqual(expected.slice(offset, offset + limit));
    }
    const read = newestFirst.filter((n) => n % 2 === 0).map((n) => `m${n}`);
    for (const filter of [{ status: 'READ' }, { chatAddresses: [CHAT, '7@lid'] }] as const) {
      const found = await storage.messages.findStatuses('a', filter, { offset: 2_500, limit: 1_000 });
      expect(found.map(({ key }) => key.id)).toEqual(read.slice(2_500, 3_500));
    }
    expect(await storage.messages.findStatuses('a', { status: 'PLAYED' }, { offset: 0, limit: 10 })).toEqual([]);
  });
}
