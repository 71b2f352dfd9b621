// Chats: what is known of them, what is unread, and contacts by address.
import { expect, it } from 'vitest';
import type { ChatChange } from '../../../src/events/event-batch.ts';
import type { MessageKey } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { message, recording, undoFromMessageTotals } from '../samples.ts';

const ada = '1@s.whatsapp.net';
const adasLid = '1@lid';
const bob = '2@s.whatsapp.net';
const group = '3@g.us';

const theirs = (id: string, remoteJid = ada, messageTimestamp = 100, part: Partial<MessageKey> = {}) => ({
  message: message(id, { key: { remoteJid, fromMe: false, id, ...part }, messageTimestamp }),
  events: [],
});
const recordChats = ({ messages }: Storage, ...chats: ChatChange[]) => messages.record('a', recording({ chats }));
const say = ({ messages }: Storage, ...said: ReturnType<typeof theirs>[]) =>
  messages.record('a', recording({ messages: said }));

export function chatTests(open: OpenBench): void {
  it('are those that hold messages or were reported, the one written in last first', async () => {
    const bench = await open();
    const { storage } = bench;
    await say(storage, theirs('1', ada, 100), theirs('2', ada, 90), theirs('3', group, 300), theirs('4', bob, 200));
    const protocol = { ...theirs('5', 'x@s.whatsapp.net', 999) };
    protocol.message.messageType = 'protocolMessage';
    await say(storage, protocol);
    await storage.messages.record('b', recording({ messages: [theirs('6', bob, 500)] }));
    await recordChats(storage, { chat: { jid: ada, lid: adasLid, name: 'Ada', archived: true, mutedUntil: -1 } });
    await recordChats(
      storage,
      { chat: { jid: ada, archived: false } },
      { chat: { jid: 'new@g.us', lastMessageAt: 250 } },
    );
    for await (const { chats } of beforeAndAfterRestart(bench)) {
      expect(await chats.list('a')).toEqual([
        { jid: group, lastMessageAt: 300 },
        { jid: 'new@g.us', lastMessageAt: 250 },
        { jid: bob, lastMessageAt: 200 },
        { jid: ada, lid: adasLid, name: 'Ada', archived: false, mutedUntil: -1, lastMessageAt: 100 },
      ]);
      expect(await chats.list('none')).toEqual([]);
      expect((await chats.list('a', [ada, adasLid, 'no@lid', bob])).map(({ jid }) => jid)).toEqual([bob, ada]);
      expect(await chats.list('a', [])).toEqual([]);
    }
  });

  it('are found from the newest on, as far as a page needs them', async () => {
    const bench = await open();
    const { storage } = bench;
    const chatOf = (n: number) => `${n}@s.whatsapp.net`;
    const old = Array.from({ length: 30 }, (_, n) => theirs(`old${n}`, chatOf(100 + n), 1_000 + n));
    const busy = Array.from({ length: 300 }, (_, n) => theirs(`busy${n}`, ada, 2_000 + n));
    await say(storage, ...old, ...busy, theirs('tie', bob, 1_029), theirs('other', group, 1_028));
    await recordChats(
      storage,
      { chat: { jid: 'reported@g.us', name: 'a "lastMessageAt":9 b', lastMessageAt: 3_000 } },
      { chat: { jid: chatOf(100), lastMessageAt: 1_500, archived: true } },
      { chat: { jid: 'silent@g.us', name: 'No message' } },
      { deletedJid: chatOf(129), atSeconds: 5_000 },
    );
    for await (const { chats } of beforeAndAfterRestart(bench)) {
      const all = await chats.list('a');
      expect(all.slice(0, 4).map(({ jid }) => jid)).toEqual(['reported@g.us', ada, chatOf(100), bob]);
      // The deleted chat takes the place after these.
      expect(await chats.newest('a', 3)).toEqual(all.slice(0, 3));
      expect(await chats.newest('a', 4)).toEqual(all.slice(0, 3));
      expect(await chats.newest('a', 5)).toEqual(all.slice(0, 4));
      expect(await chats.newest('a', 20)).toEqual(all.slice(0, 19));
      expect(await chats.newest('a', 100)).toBeNull();
      expect(await chats.newest('none', 1)).toBeNull();
    }
  });

  it('are left to the whole list when one chat has most of the new messages', async () => {
    const { storage } = await open();
    const busy = Array.from({ length: 5_100 }, (_, n) => theirs(`busy${n}`, ada, 2_000 + n));
    await say(storage, theirs('1', bob, 100), theirs('2', group, 90), ...busy);
    expect(await storage.chats.newest('a', 1)).toMatchObject([{ jid: ada }]);
    expect(await storage.chats.newest('a', 2)).toBeNull();
  });

  it('count unread messages of both addresses, also beyond the first that are read', async () => {
    const { storage } = await open();
    const each = (jid: string, count: number, at: number) =>
      Array.from({ length: count }, (_, n) => theirs(`${jid}${n}`, jid, at + n));
    await say(storage, ...each(ada, 70, 1_000), ...each(adasLid, 5, 1_010));
    expect(await storage.chats.unread('a', [ada, adasLid])).toBe(75);
    await say(storage, theirs('own', adasLid, 1_020, { fromMe: true }));
    // The 49 messages of the one address after this own message of the other.
    expect(await storage.chats.unread('a', [ada, adasLid])).toBe(49);
  });

  it.each([
    'reactionMessage',
    'pinInChatMessage',
    'secretEncryptedMessage',
    'encReactionMessage',
  ])('do not count a message of the type %s as unread', async (messageType) => {
    const { storage } = await open();
    const other = theirs('2', ada, 1_001);
    await say(storage, theirs('1', ada, 1_000), { ...other, message: { ...other.message, messageType } });
    expect(await storage.chats.unread('a', [ada])).toBe(1);
  });

  it('begin with the oldest stored message under any of their addresses', async () => {
    const bench = await open();
    await say(
      bench.storage,
      theirs('1', ada, 100),
      theirs('2', ada, 90),
      theirs('3', adasLid, 80),
      theirs('4', bob, 70),
    );
    const protocol = theirs('5', ada, 10);
    protocol.message.messageType = 'protocolMessage';
    await say(bench.storage, protocol);
    for await (const { chats } of beforeAndAfterRestart(bench)) {
      expect(await chats.firstMessageAt('a', [ada])).toBe(90);
      expect(await chats.firstMessageAt('a', [ada, adasLid])).toBe(80);
      expect(await chats.firstMessageAt('a', [group])).toBeNull();
      expect(await chats.firstMessageAt('b', [ada])).toBeNull();
    }
  });

  it('are stored when one batch changes more of them than one statement can have parameters', async () => {
    const { storage } = await open();
    const jidOf = (n: number) => `${n}@s.whatsapp.net`;
    await recordChats(
      storage,
      { chat: { jid: jidOf(0), name: 'first' } },
      { chat: { jid: jidOf(32_999), pinned: true } },
    );
    const changes = Array.from({ length: 33_000 }, (_, n) => ({ chat: { jid: jidOf(n), archived: true } }));
    await recordChats(storage, ...changes);
    expect(await storage.chats.list('a', [jidOf(0), jidOf(32_999)])).toEqual([
      { jid: jidOf(0), name: 'first', archived: true },
      { jid: jidOf(32_999), pinned: true, archived: true },
    ]);
  });

  it('have a timer when one was reported', async () => {
    const bench = await open();
    await recordChats(bench.storage, { chat: { jid: ada, ephemeral: 86_400 } }, { chat: { jid: bob, archived: true } });
    await recordChats(bench.storage, { chat: { jid: ada, pinned: true } });
    for await (const { chats } of beforeAndAfterRestart(bench)) {
      expect(await Promise.all([ada, bob, group, ada].map((jid) => chats.disappearingTimer('a', jid)))).toEqual([
        86_400, 0, 0, 86_400,
      ]);
      expect(await chats.disappearingTimer('b', ada)).toBe(0);
    }
  });

  it('that were deleted come back with the next message, and go with their instance', async () => {
    const { storage } = await open();
    await say(storage, theirs('1'));
    await recordChats(storage, { deletedJid: ada, atSeconds: 150 }, { deletedJid: bob, atSeconds: 150 });
    expect(await storage.chats.list('a')).toEqual([]);
    await say(storage, theirs('2', ada, 151));
    expect(await storage.chats.list('a')).toEqual([{ jid: ada, lastMessageAt: 151 }]);
    await storage.instances.delete('a');
    expect(await storage.chats.list('a')).toEqual([]);
  });

  it('count what others wrote since the last word, the last reading or the last mark', async () => {
    const bench = await open();
    const { storage } = bench;
    const unread = (readTo?: string) => storage.chats.unread('a', [ada, adasLid], readTo);
    expect(await unread()).toBe(0);
    await say(storage, theirs('1'), theirs('2'), theirs('3', adasLid));
    const reaction = theirs('4');
    reaction.message.messageType = 'reactionMessage';
    await say(storage, reaction, theirs('other', bob));
    expect(await unread()).toBe(3);
    expect(await unread('2')).toBe(1);
    expect(await unread('3')).toBe(0);
    await recordChats(storage, { chat: { jid: ada, lid: adasLid, unread: 1, readTo: '2' } });
    expect(await unread()).toBe(1);
    await recordChats(storage, { chat: { jid: ada, lid: adasLid, unread: 2, readTo: '1' } });
    expect(await unread()).toBe(1);
    await recordChats(storage, { chat: { jid: ada, lid: adasLid, unread: 0 } });
    expect(await unread()).toBe(0);
    await recordChats(storage, { chat: { jid: ada, lid: adasLid, unread: -1 } });
    let again = storage;
    for await (const store of beforeAndAfterRestart(bench)) {
      expect(await store.chats.unread('a', [ada, adasLid])).toBe(-1);
      again = store;
    }
    await say(again, theirs('5'));
    expect(await again.chats.unread('a', [ada])).toBe(1);
    await say(again, theirs('6', ada, 100, { fromMe: true }));
    expect(await again.chats.unread('a', [ada])).toBe(0);
    await say(again, theirs('7'));
    expect(await again.chats.unread('a', [ada])).toBe(1);
    await recordChats(again, { chat: { jid: ada, unread: -1 } });
    await recordChats(again, { chat: { jid: ada, unread: 0, readTo: '7' } });
    expect(await again.chats.unread('a', [ada])).toBe(0);
  });

  it('count the messages after the time at which a message that is not stored was read', async () => {
    const bench = await open();
    await say(bench.storage, theirs('1', ada, 10), theirs('2', ada, 20), theirs('3', ada, 30));
    const read = (part: object) => recordChats(bench.storage, { chat: { jid: ada, lid: adasLid, unread: 0, ...part } });
    await read({ readTo: 'unknown' });
    expect(await bench.storage.chats.unread('a', [ada])).toBe(3);
    await read({ readTo: '2' });
    await read({ readTo: 'unknown' });
    await read({ readTo: 'unknown', readAt: 15 });
    expect(await bench.storage.chats.unread('a', [ada])).toBe(1);
    await say(bench.storage, theirs('4', ada, 40));
    await read({ readTo: 'unknown', readAt: 35 });
    for await (const { chats } of beforeAndAfterRestart(bench)) {
      expect(await chats.unread('a', [ada])).toBe(1);
      expect(await chats.list('a')).toEqual([{ jid: ada, lid: adasLid, lastMessageAt: 40 }]);
    }
  });

  it('of the past add what comes to what the phone said was unread', async () => {
    const { storage } = await open();
    const past = recording({
      messages: [theirs('1', ada, 50), theirs('2', ada, 60)],
      chats: [{ chat: { jid: ada, unread: 5 } }],
    });
    await storage.messages.record('a', past);
    expect(await storage.chats.unread('a', [ada])).toBe(5);
    await say(storage, theirs('old', ada, 40), theirs('3', ada, 70));
    expect(await storage.chats.unread('a', [ada])).toBe(6);
    // Portions of it: the chat comes before its messages.
    await recordChats(storage, { chat: { jid: bob, unread: 3, lastMessageAt: 60 } });
    await say(storage, theirs('4', bob, 60), theirs('5', bob, 50), theirs('6', bob, 40));
    expect(await storage.chats.unread('a', [bob])).toBe(3);
    await say(storage, theirs('7', bob, 61));
    expect(await storage.chats.unread('a', [bob])).toBe(4);
  });

  it('keep what has changed since the phone sent its history, and get what is missing', async () => {
    const bench = await open();
    const { storage } = bench;
    const fromHistory = { archived: false, pinned: true, ephemeral: 0, lastMessageAt: 60 };
    const history: ChatChange[] = [ada, bob].map((jid) => ({
      chat: { jid, name: 'Old', unread: 3, ...fromHistory },
      source: 'history',
      historySentAt: 100,
    }));
    await say(storage, theirs('1', ada, 60), theirs('2', bob, 60));
    await recordChats(
      storage,
      { chat: { jid: ada, archived: true, ephemeral: 86_400, unread: 0, readTo: '1' }, atSeconds: 150 },
      { deletedJid: bob, atSeconds: 150 },
    );
    await recordChats(storage, ...history);
    for await (const { chats } of beforeAndAfterRestart(bench)) {
      expect(await chats.list('a')).toEqual([
        { jid: ada, name: 'Old', archived: true, pinned: true, ephemeral: 86_400, lastMessageAt: 60 },
      ]);
      expect(await chats.unread('a', [ada])).toBe(0);
    }
  });

  it('that were read stay read when the messages of their history are stored later', async () => {
    const { storage } = await open();
    const history = {
      chat: { jid: ada, unread: 2, lastMessageAt: 60 },
      source: 'history',
      historySentAt: 100,
    } as const;
    await recordChats(storage, { chat: { jid: ada, unread: 0, readTo: 'past', readAt: 150 }, atSeconds: 150 }, history);
    await say(storage, theirs('past', ada, 60));
    expect(await storage.chats.unread('a', [ada])).toBe(0);
    await say(storage, theirs('new', ada, 160));
    expect(await storage.chats.unread('a', [ada])).toBe(1);
    await recordChats(storage, history);
    expect(await storage.chats.unread('a', [ada])).toBe(1);
  });

  it('get what the phone says when it sent its history after the last change', async () => {
    const { storage } = await open();
    const chat = { jid: ada, archived: false, pinned: false };
    await recordChats(storage, { chat: { ...chat, archived: true, name: 'Ada' }, atSeconds: 99 });
    await recordChats(storage, { chat: { ...chat, pinned: true }, source: 'history', historySentAt: 100 });
    expect(await storage.chats.list('a')).toEqual([{ jid: ada, archived: false, pinned: true, name: 'Ada' }]);
  });

  it('are archived since their last change', async () => {
    const { storage } = await open();
    await recordChats(
      storage,
      { chat: { jid: ada, archived: true }, atSeconds: 99 },
      { chat: { jid: bob, archived: false }, atSeconds: 99 },
      { chat: { jid: group, archived: true }, source: 'history', historySentAt: 99 },
    );
    const archived = await storage.chats.archived('a', [ada, bob, group, 'none@lid']);
    expect(archived).toEqual(
      new Map([
        [ada, 99],
        [group, 0],
      ]),
    );
  });

  it('that were deleted come back when they are announced, not when they change', async () => {
    const { storage } = await open();
    await recordChats(storage, { deletedJid: ada, atSeconds: 150 }, { deletedJid: bob, atSeconds: 150 });
    await recordChats(storage, { chat: { jid: ada, pinned: false }, atSeconds: 151 });
    await recordChats(storage, { chat: { jid: bob }, source: 'announcement', atSeconds: 151 });
    expect(await storage.chats.list('a')).toEqual([{ jid: bob }]);
  });

  it('count a live message that is stored before the history of its chat', async () => {
    const { storage } = await open();
    await say(storage, theirs('live', ada, 70));
    const chat = { jid: ada, unread: 3, lastMessageAt: 60 };
    await recordChats(storage, { chat, source: 'history', historySentAt: 65 });
    await say(storage, theirs('old', ada, 60));
    expect(await storage.chats.unread('a', [ada])).toBe(4);
  });

  it.each([
    ['read', { unread: 2, lastMessageAt: 60 }, 0],
    ['marked as unread', { unread: 0, lastMessageAt: 60 }, -1],
  ])('that are %s while their history is stored keep this', async (_, part, unread) => {
    const bench = await open();
    const { storage } = bench;
    await recordChats(storage, { chat: { jid: ada, ...part }, source: 'history', historySentAt: 65 });
    await recordChats(storage, { chat: { jid: ada, unread }, atSeconds: 70 });
    await say(storage, theirs('1', ada, 50), theirs('2', ada, 60));
    for await (const { chats } of beforeAndAfterRestart(bench)) expect(await chats.unread('a', [ada])).toBe(unread);
  });

  it('are read when the last message of their history was read', async () => {
    const { storage } = await open();
    const unread = (readTo?: string) => storage.chats.unread('a', [ada], readTo);
    const chat = { jid: ada, unread: 3, lastMessageAt: 60 };
    await recordChats(storage, { chat, source: 'history', historySentAt: 65 });
    await say(storage, theirs('1', ada, 50), theirs('2', ada, 55), theirs('3', ada, 60));
    expect(await unread('2')).toBe(3);
    expect(await unread('3')).toBe(0);
    await recordChats(storage, { chat: { jid: ada, unread: 0, readTo: '2', readAt: 69 }, atSeconds: 69 });
    expect(await unread()).toBe(3);
    await recordChats(storage, { chat: { jid: ada, unread: 0, readTo: '3', readAt: 70 }, atSeconds: 70 });
    expect(await unread()).toBe(0);
    await say(storage, theirs('late', ada, 58), theirs('4', ada, 61));
    expect(await unread()).toBe(1);
  });

  it('that were read stay read when a live message precedes their history', async () => {
    const { storage } = await open();
    await recordChats(storage, { chat: { jid: ada, unread: 0 }, atSeconds: 150 });
    await say(storage, theirs('live', ada, 160));
    const chat = { jid: ada, unread: 2, lastMessageAt: 60 };
    await recordChats(storage, { chat, source: 'history', historySentAt: 100 });
    await say(storage, theirs('1', ada, 50), theirs('2', ada, 60));
    expect(await storage.chats.unread('a', [ada])).toBe(1);
  });

  it('of a store from before count as read', async () => {
    const bench = await open();
    await say(bench.storage, theirs('1'), theirs('2', 'odd"one@lid'), theirs('4', 'odd\\one@lid'));
    await bench.execute('DROP TABLE chat');
    for (const statement of undoFromMessageTotals(bench.storage.dialect)) await bench.execute(statement);
    for (const column of ['lid', 'name', 'username']) await bench.execute(`DROP INDEX contact_by_${column}`);
    await bench.execute('ALTER TABLE contact DROP COLUMN username');
    await bench.execute('ALTER TABLE instance DROP COLUMN proxy');
    await bench.execute('ALTER TABLE instance DROP COLUMN websocket');
    await bench.execute('ALTER TABLE instance DROP COLUMN token_digest');
    for (const table of ['lease', 'node']) await bench.execute(`DROP TABLE IF EXISTS ${table}`);
    for (const table of ['access_key', 'audit']) await bench.execute(`DROP TABLE ${table}`);
    await bench.execute('DELETE FROM schema_version WHERE version >= 5');
    const { chats, messages } = await bench.reopen();
    expect(await chats.unread('a', [ada])).toBe(0);
    await messages.record('a', recording({ messages: [theirs('3')] }));
    expect(await chats.unread('a', [ada])).toBe(1);
    expect(await chats.list('a')).toHaveLength(3);
  });

  it('have people, found by number, LID and name', async () => {
    const { storage } = await open();
    const people = [{ jid: ada, lid: adasLid, pushName: 'Ada' }, { jid: bob, pushName: 'Bob' }, { jid: '4@lid' }];
    await storage.messages.record('a', recording({ contacts: people }));
    const find = (filter: object, slice = { offset: 0, limit: 10 }) => storage.contacts.find('a', filter, slice);
    expect(await find({})).toEqual(people);
    expect(await find({}, { offset: 1, limit: 1 })).toEqual([people[1]]);
    expect(await find({ jids: [adasLid, bob] })).toEqual(people.slice(0, 2));
    expect(await find({ jids: [ada], pushName: 'Bob' })).toEqual([]);
    expect(await find({ pushName: 'Bob' })).toEqual([people[1]]);
    expect(await find({ jids: [] })).toEqual([]);
    expect(await storage.contacts.find('b', {}, { offset: 0, limit: 10 })).toEqual([]);
  });
}
