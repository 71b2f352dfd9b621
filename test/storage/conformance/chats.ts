// Chats: lists, settings, unread counts, deletions and the history sync. Also searches of contacts.
import { expect, it } from 'vitest';
import type { ChatChange } from '../../../src/events/event-batch.ts';
import type { MessageKey } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { message, toEventBatch, undoFromMessageTotals } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const ada = '1@s.whatsapp.net';
const adaLid = '1@lid';
const bob = '2@s.whatsapp.net';
const group = '3@g.us';

const received = (id: string, remoteJid = ada, messageTimestamp = 100, part: Partial<MessageKey> = {}) => ({
  message: message(id, { key: { remoteJid, fromMe: false, id, ...part }, messageTimestamp }),
  events: [],
});
const setChats = ({ messages }: Storage, ...chats: ChatChange[]) => messages.record('a', toEventBatch({ chats }));
const record = ({ messages }: Storage, ...records: ReturnType<typeof received>[]) =>
  messages.record('a', toEventBatch({ messages: records }));

export function chatTests(open: OpenFixture): void {
  it('chats.list() returns reported chats and chats with messages, the chat with the newest message first', async () => {
    const fixture = await open();
    const { storage } = fixture;
    await record(
      storage,
      received('1', ada, 100),
      received('2', ada, 90),
      received('3', group, 300),
      received('4', bob, 200),
    );
    const protocol = { ...received('5', 'x@s.whatsapp.net', 999) };
    protocol.message.messageType = 'protocolMessage';
    await record(storage, protocol);
    await storage.messages.record('b', toEventBatch({ messages: [received('6', bob, 500)] }));
    await setChats(storage, { chat: { jid: ada, lid: adaLid, name: 'Ada', archived: true, mutedUntil: -1 } });
    await setChats(storage, { chat: { jid: ada, archived: false } }, { chat: { jid: 'new@g.us', lastMessageAt: 250 } });
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      expect(await chats.list('a')).toEqual([
        { jid: group, lastMessageAt: 300 },
        { jid: 'new@g.us', lastMessageAt: 250 },
        { jid: bob, lastMessageAt: 200 },
        { jid: ada, lid: adaLid, name: 'Ada', archived: false, mutedUntil: -1, lastMessageAt: 100 },
      ]);
      expect(await chats.list('none')).toEqual([]);
      expect((await chats.list('a', [ada, adaLid, 'no@lid', bob])).map(({ jid }) => jid)).toEqual([bob, ada]);
      expect(await chats.list('a', [])).toEqual([]);
    }
  });

  it('chats.listNewest() returns the newest chats without deleted ones, and null when there are too few chats', async () => {
    const fixture = await open();
    const { storage } = fixture;
    const chatOf = (n: number) => `${n}@s.whatsapp.net`;
    const old = Array.from({ length: 30 }, (_, n) => received(`old${n}`, chatOf(100 + n), 1_000 + n));
    const busy = Array.from({ length: 300 }, (_, n) => received(`busy${n}`, ada, 2_000 + n));
    await record(storage, ...old, ...busy, received('tie', bob, 1_029), received('other', group, 1_028));
    await setChats(
      storage,
      { chat: { jid: 'reported@g.us', name: 'a "lastMessageAt":9 b', lastMessageAt: 3_000 } },
      { chat: { jid: chatOf(100), lastMessageAt: 1_500, archived: true } },
      { chat: { jid: 'silent@g.us', name: 'No message' } },
      { deletedJid: chatOf(129), atSeconds: 5_000 },
    );
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      const all = await chats.list('a');
      expect(all.slice(0, 4).map(({ jid }) => jid)).toEqual(['reported@g.us', ada, chatOf(100), bob]);
      // The next chat in this order is deleted.
      expect(await chats.listNewest('a', 3)).toEqual(all.slice(0, 3));
      expect(await chats.listNewest('a', 4)).toEqual(all.slice(0, 3));
      expect(await chats.listNewest('a', 5)).toEqual(all.slice(0, 4));
      expect(await chats.listNewest('a', 20)).toEqual(all.slice(0, 19));
      expect(await chats.listNewest('a', 100)).toBeNull();
      expect(await chats.listNewest('none', 1)).toBeNull();
    }
  });

  it('chats.listNewest() returns null for two chats when one chat has nearly all of the newest messages', async () => {
    const { storage } = await open();
    const busy = Array.from({ length: 5_100 }, (_, n) => received(`busy${n}`, ada, 2_000 + n));
    await record(storage, received('1', bob, 100), received('2', group, 90), ...busy);
    expect(await storage.chats.listNewest('a', 1)).toMatchObject([{ jid: ada }]);
    expect(await storage.chats.listNewest('a', 2)).toBeNull();
  });

  it('chats.countUnread() counts more messages than its first query fetches, under both addresses of the chat', async () => {
    const { storage } = await open();
    const createMessages = (jid: string, count: number, at: number) =>
      Array.from({ length: count }, (_, n) => received(`${jid}${n}`, jid, at + n));
    await record(storage, ...createMessages(ada, 70, 1_000), ...createMessages(adaLid, 5, 1_010));
    expect(await storage.chats.countUnread('a', [ada, adaLid])).toBe(75);
    await record(storage, received('own', adaLid, 1_020, { fromMe: true }));
    // 49 messages under the other address are newer than this own message.
    expect(await storage.chats.countUnread('a', [ada, adaLid])).toBe(49);
  });

  it.each([
    'reactionMessage',
    'pinInChatMessage',
    'secretEncryptedMessage',
    'encReactionMessage',
  ])('chats.countUnread() does not count a message of the type %s', async (messageType) => {
    const { storage } = await open();
    const other = received('2', ada, 1_001);
    await record(storage, received('1', ada, 1_000), { ...other, message: { ...other.message, messageType } });
    expect(await storage.chats.countUnread('a', [ada])).toBe(1);
  });

  it('chats.firstMessageAt() returns the time of the oldest message under any of the given addresses', async () => {
    const fixture = await open();
    await record(
      fixture.storage,
      received('1', ada, 100),
      received('2', ada, 90),
      received('3', adaLid, 80),
      received('4', bob, 70),
    );
    const protocol = received('5', ada, 10);
    protocol.message.messageType = 'protocolMessage';
    await record(fixture.storage, protocol);
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      expect(await chats.firstMessageAt('a', [ada])).toBe(90);
      expect(await chats.firstMessageAt('a', [ada, adaLid])).toBe(80);
      expect(await chats.firstMessageAt('a', [group])).toBeNull();
      expect(await chats.firstMessageAt('b', [ada])).toBeNull();
    }
  });

  it('messages.record() stores a batch that changes more chats than one statement can have parameters', async () => {
    const { storage } = await open();
    const jidOf = (n: number) => `${n}@s.whatsapp.net`;
    await setChats(storage, { chat: { jid: jidOf(0), name: 'first' } }, { chat: { jid: jidOf(32_999), pinned: true } });
    const changes = Array.from({ length: 33_000 }, (_, n) => ({ chat: { jid: jidOf(n), archived: true } }));
    await setChats(storage, ...changes);
    expect(await storage.chats.list('a', [jidOf(0), jidOf(32_999)])).toEqual([
      { jid: jidOf(0), name: 'first', archived: true },
      { jid: jidOf(32_999), pinned: true, archived: true },
    ]);
  });

  it('chats.disappearingTimer() returns the reported timer of a chat, and 0 when none was reported', async () => {
    const fixture = await open();
    await setChats(fixture.storage, { chat: { jid: ada, ephemeral: 86_400 } }, { chat: { jid: bob, archived: true } });
    await setChats(fixture.storage, { chat: { jid: ada, pinned: true } });
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      expect(await Promise.all([ada, bob, group, ada].map((jid) => chats.disappearingTimer('a', jid)))).toEqual([
        86_400, 0, 0, 86_400,
      ]);
      expect(await chats.disappearingTimer('b', ada)).toBe(0);
    }
  });

  it('chats.list() hides a deleted chat until its next message, and all chats of a deleted instance', async () => {
    const { storage } = await open();
    await record(storage, received('1'));
    await setChats(storage, { deletedJid: ada, atSeconds: 150 }, { deletedJid: bob, atSeconds: 150 });
    expect(await storage.chats.list('a')).toEqual([]);
    await record(storage, received('2', ada, 151));
    expect(await storage.chats.list('a')).toEqual([{ jid: ada, lastMessageAt: 151 }]);
    await storage.instances.delete('a');
    expect(await storage.chats.list('a')).toEqual([]);
  });

  it('chats.countUnread() counts received messages since the last own message, the last read or the last unread mark', async () => {
    const fixture = await open();
    const { storage } = fixture;
    const unread = (readTo?: string) => storage.chats.countUnread('a', [ada, adaLid], readTo);
    expect(await unread()).toBe(0);
    await record(storage, received('1'), received('2'), received('3', adaLid));
    const reaction = received('4');
    reaction.message.messageType = 'reactionMessage';
    await record(storage, reaction, received('other', bob));
    expect(await unread()).toBe(3);
    expect(await unread('2')).toBe(1);
    expect(await unread('3')).toBe(0);
    await setChats(storage, { chat: { jid: ada, lid: adaLid, unread: 1, readTo: '2' } });
    expect(await unread()).toBe(1);
    await setChats(storage, { chat: { jid: ada, lid: adaLid, unread: 2, readTo: '1' } });
    expect(await unread()).toBe(1);
    await setChats(storage, { chat: { jid: ada, lid: adaLid, unread: 0 } });
    expect(await unread()).toBe(0);
    await setChats(storage, { chat: { jid: ada, lid: adaLid, unread: -1 } });
    let reopened = storage;
    for await (const store of beforeAndAfterRestart(fixture)) {
      expect(await store.chats.countUnread('a', [ada, adaLid])).toBe(-1);
      reopened = store;
    }
    await record(reopened, received('5'));
    expect(await reopened.chats.countUnread('a', [ada])).toBe(1);
    await record(reopened, received('6', ada, 100, { fromMe: true }));
    expect(await reopened.chats.countUnread('a', [ada])).toBe(0);
    await record(reopened, received('7'));
    expect(await reopened.chats.countUnread('a', [ada])).toBe(1);
    await setChats(reopened, { chat: { jid: ada, unread: -1 } });
    await setChats(reopened, { chat: { jid: ada, unread: 0, readTo: '7' } });
    expect(await reopened.chats.countUnread('a', [ada])).toBe(0);
  });

  it('chats.countUnread() counts the messages after `readAt` when the last read message is not stored', async () => {
    const fixture = await open();
    await record(fixture.storage, received('1', ada, 10), received('2', ada, 20), received('3', ada, 30));
    const reportRead = (part: object) =>
      setChats(fixture.storage, { chat: { jid: ada, lid: adaLid, unread: 0, ...part } });
    await reportRead({ readTo: 'unknown' });
    expect(await fixture.storage.chats.countUnread('a', [ada])).toBe(3);
    await reportRead({ readTo: '2' });
    await reportRead({ readTo: 'unknown' });
    await reportRead({ readTo: 'unknown', readAt: 15 });
    expect(await fixture.storage.chats.countUnread('a', [ada])).toBe(1);
    await record(fixture.storage, received('4', ada, 40));
    await reportRead({ readTo: 'unknown', readAt: 35 });
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      expect(await chats.countUnread('a', [ada])).toBe(1);
      expect(await chats.list('a')).toEqual([{ jid: ada, lid: adaLid, lastMessageAt: 40 }]);
    }
  });

  it('chats.countUnread() adds newer messages to the unread count that the phone reported in the history', async () => {
    const { storage } = await open();
    const past = toEventBatch({
      messages: [received('1', ada, 50), received('2', ada, 60)],
      chats: [{ chat: { jid: ada, unread: 5 } }],
    });
    await storage.messages.record('a', past);
    expect(await storage.chats.countUnread('a', [ada])).toBe(5);
    await record(storage, received('old', ada, 40), received('3', ada, 70));
    expect(await storage.chats.countUnread('a', [ada])).toBe(6);
    // The history can arrive in parts. Here the chat arrives before its messages.
    await setChats(storage, { chat: { jid: bob, unread: 3, lastMessageAt: 60 } });
    await record(storage, received('4', bob, 60), received('5', bob, 50), received('6', bob, 40));
    expect(await storage.chats.countUnread('a', [bob])).toBe(3);
    await record(storage, received('7', bob, 61));
    expect(await storage.chats.countUnread('a', [bob])).toBe(4);
  });

  it('a history sync keeps later changes of a chat and adds its missing settings', async () => {
    const fixture = await open();
    const { storage } = fixture;
    const fromHistory = { archived: false, pinned: true, ephemeral: 0, lastMessageAt: 60 };
    const history: ChatChange[] = [ada, bob].map((jid) => ({
      chat: { jid, name: 'Old', unread: 3, ...fromHistory },
      source: 'history',
      historySentAt: 100,
    }));
    await record(storage, received('1', ada, 60), received('2', bob, 60));
    await setChats(
      storage,
      { chat: { jid: ada, archived: true, ephemeral: 86_400, unread: 0, readTo: '1' }, atSeconds: 150 },
      { deletedJid: bob, atSeconds: 150 },
    );
    await setChats(storage, ...history);
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      expect(await chats.list('a')).toEqual([
        { jid: ada, name: 'Old', archived: true, pinned: true, ephemeral: 86_400, lastMessageAt: 60 },
      ]);
      expect(await chats.countUnread('a', [ada])).toBe(0);
    }
  });

  it('a chat that was read stays read when the messages of its history are stored later', async () => {
    const { storage } = await open();
    const history = {
      chat: { jid: ada, unread: 2, lastMessageAt: 60 },
      source: 'history',
      historySentAt: 100,
    } as const;
    await setChats(storage, { chat: { jid: ada, unread: 0, readTo: 'past', readAt: 150 }, atSeconds: 150 }, history);
    await record(storage, received('past', ada, 60));
    expect(await storage.chats.countUnread('a', [ada])).toBe(0);
    await record(storage, received('new', ada, 160));
    expect(await storage.chats.countUnread('a', [ada])).toBe(1);
    await setChats(storage, history);
    expect(await storage.chats.countUnread('a', [ada])).toBe(1);
  });

  it('a history sync that the phone sent after the last change overwrites the settings of a chat', async () => {
    const { storage } = await open();
    const chat = { jid: ada, archived: false, pinned: false };
    await setChats(storage, { chat: { ...chat, archived: true, name: 'Ada' }, atSeconds: 99 });
    await setChats(storage, { chat: { ...chat, pinned: true }, source: 'history', historySentAt: 100 });
    expect(await storage.chats.list('a')).toEqual([{ jid: ada, archived: false, pinned: true, name: 'Ada' }]);
  });

  it('chats.findArchived() returns archived chats with the time of their last change, and 0 for a chat from the history', async () => {
    const { storage } = await open();
    await setChats(
      storage,
      { chat: { jid: ada, archived: true }, atSeconds: 99 },
      { chat: { jid: bob, archived: false }, atSeconds: 99 },
      { chat: { jid: group, archived: true }, source: 'history', historySentAt: 99 },
    );
    const archived = await storage.chats.findArchived('a', [ada, bob, group, 'none@lid']);
    expect(archived).toEqual(
      new Map([
        [ada, 99],
        [group, 0],
      ]),
    );
  });

  it('a deleted chat reappears when it is announced, and stays hidden when its settings change', async () => {
    const { storage } = await open();
    await setChats(storage, { deletedJid: ada, atSeconds: 150 }, { deletedJid: bob, atSeconds: 150 });
    await setChats(storage, { chat: { jid: ada, pinned: false }, atSeconds: 151 });
    await setChats(storage, { chat: { jid: bob }, source: 'announcement', atSeconds: 151 });
    expect(await storage.chats.list('a')).toEqual([{ jid: bob }]);
  });

  it('chats.countUnread() counts a live message that is stored before the history of its chat', async () => {
    const { storage } = await open();
    await record(storage, received('live', ada, 70));
    const chat = { jid: ada, unread: 3, lastMessageAt: 60 };
    await setChats(storage, { chat, source: 'history', historySentAt: 65 });
    await record(storage, received('old', ada, 60));
    expect(await storage.chats.countUnread('a', [ada])).toBe(4);
  });

  it.each([
    ['read', { unread: 2, lastMessageAt: 60 }, 0],
    ['marked as unread', { unread: 0, lastMessageAt: 60 }, -1],
  ])('a chat that is %s while its history is stored keeps this state', async (_, part, unread) => {
    const fixture = await open();
    const { storage } = fixture;
    await setChats(storage, { chat: { jid: ada, ...part }, source: 'history', historySentAt: 65 });
    await setChats(storage, { chat: { jid: ada, unread }, atSeconds: 70 });
    await record(storage, received('1', ada, 50), received('2', ada, 60));
    for await (const { chats } of beforeAndAfterRestart(fixture))
      expect(await chats.countUnread('a', [ada])).toBe(unread);
  });

  it('a chat from the history counts as read only when the last message of its history was read', async () => {
    const { storage } = await open();
    const unread = (readTo?: string) => storage.chats.countUnread('a', [ada], readTo);
    const chat = { jid: ada, unread: 3, lastMessageAt: 60 };
    await setChats(storage, { chat, source: 'history', historySentAt: 65 });
    await record(storage, received('1', ada, 50), received('2', ada, 55), received('3', ada, 60));
    expect(await unread('2')).toBe(3);
    expect(await unread('3')).toBe(0);
    await setChats(storage, { chat: { jid: ada, unread: 0, readTo: '2', readAt: 69 }, atSeconds: 69 });
    expect(await unread()).toBe(3);
    await setChats(storage, { chat: { jid: ada, unread: 0, readTo: '3', readAt: 70 }, atSeconds: 70 });
    expect(await unread()).toBe(0);
    await record(storage, received('late', ada, 58), received('4', ada, 61));
    expect(await unread()).toBe(1);
  });

  it('a read chat counts only its live message as unread when its history is stored afterwards', async () => {
    const { storage } = await open();
    await setChats(storage, { chat: { jid: ada, unread: 0 }, atSeconds: 150 });
    await record(storage, received('live', ada, 160));
    const chat = { jid: ada, unread: 2, lastMessageAt: 60 };
    await setChats(storage, { chat, source: 'history', historySentAt: 100 });
    await record(storage, received('1', ada, 50), received('2', ada, 60));
    expect(await storage.chats.countUnread('a', [ada])).toBe(1);
  });

  it('messages of a database from before the table of chats count as read after the upgrade', async () => {
    const fixture = await open();
    await record(fixture.storage, received('1'), received('2', 'odd"one@lid'), received('4', 'odd\\one@lid'));
    await fixture.execute('DROP TABLE chat');
    for (const statement of undoFromMessageTotals(fixture.storage.dialect)) await fixture.execute(statement);
    for (const column of ['lid', 'name', 'username']) await fixture.execute(`DROP INDEX contact_by_${column}`);
    await fixture.execute('ALTER TABLE contact DROP COLUMN username');
    await fixture.execute('ALTER TABLE instance DROP COLUMN proxy');
    await fixture.execute('ALTER TABLE instance DROP COLUMN websocket');
    await fixture.execute('ALTER TABLE instance DROP COLUMN token_digest');
    for (const table of ['lease', 'node']) await fixture.execute(`DROP TABLE IF EXISTS ${table}`);
    for (const table of ['access_key', 'audit']) await fixture.execute(`DROP TABLE ${table}`);
    await fixture.execute('DELETE FROM schema_version WHERE version >= 5');
    const { chats, messages } = await fixture.reopen();
    expect(await chats.countUnread('a', [ada])).toBe(0);
    await messages.record('a', toEventBatch({ messages: [received('3')] }));
    expect(await chats.countUnread('a', [ada])).toBe(1);
    expect(await chats.list('a')).toHaveLength(3);
  });

  it('contacts.find() finds contacts by phone number, LID and push name', async () => {
    const { storage } = await open();
    const people = [{ jid: ada, lid: adaLid, pushName: 'Ada' }, { jid: bob, pushName: 'Bob' }, { jid: '4@lid' }];
    await storage.messages.record('a', toEventBatch({ contacts: people }));
    const find = (filter: object, slice = { offset: 0, limit: 10 }) => storage.contacts.find('a', filter, slice);
    expect(await find({})).toEqual(people);
    expect(await find({}, { offset: 1, limit: 1 })).toEqual([people[1]]);
    expect(await find({ jids: [adaLid, bob] })).toEqual(people.slice(0, 2));
    expect(await find({ jids: [ada], pushName: 'Bob' })).toEqual([]);
    expect(await find({ pushName: 'Bob' })).toEqual([people[1]]);
    expect(await find({ jids: [] })).toEqual([]);
    expect(await storage.contacts.find('b', {}, { offset: 0, limit: 10 })).toEqual([]);
  });
}
