// Searches of messages and statuses, deletions of messages, and pruning.
import { expect, it } from 'vitest';
import type { Message, MessageStatus } from '../../../src/events/events.ts';
import { messageSearch } from '../../../src/storage/migrations/0002-message-search.ts';
import type { MessageFilter, Storage } from '../../../src/storage/storage.ts';
import { sourceOf } from '../../../src/whatsapp/content/message.ts';
import {
  CHAT,
  change,
  event,
  instance,
  key,
  message,
  toEventBatch,
  undoFromMessageTotals,
} from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const GROUP = '1203630@g.us';
const all = { offset: 0, limit: 100 };

const store = (storage: Storage, messages: Message[], id = 'a') =>
  storage.messages.record(id, toEventBatch({ messages: messages.map((one) => ({ message: one, events: [] })) }));

const findIds = async (storage: Storage, filter: MessageFilter, slice = all) =>
  (await storage.messages.find('a', filter, slice)).map(({ message: { key } }) => key.id);

const at = (id: string, seconds: number, part: Partial<Message> = {}) =>
  message(id, { messageTimestamp: seconds, ...part });

export function messageSearchTests(open: OpenFixture): void {
  it('messages.find() returns the messages of one chat, newest first by their own timestamps', async () => {
    const fixture = await open();
    await store(fixture.storage, [at('second', 20), at('third', 30), at('first', 10)]);
    await store(fixture.storage, [at('elsewhere', 25, { key: key('elsewhere', { remoteJid: GROUP }) })]);
    await store(fixture.storage, [at('foreign', 25)], 'b');
    for await (const storage of beforeAndAfterRestart(fixture)) {
      expect(await findIds(storage, { chatAddresses: [CHAT] })).toEqual(['third', 'second', 'first']);
      expect(await findIds(storage, {})).toEqual(['third', 'elsewhere', 'second', 'first']);
      expect(await storage.messages.count('a', { chatAddresses: [CHAT] })).toBe(3);
      expect(await storage.messages.count('a', {})).toBe(4);
    }
  });

  it('messages.find() finds the messages of each kind of device as sourceOf() classifies them', async () => {
    const { storage } = await open();
    const lengths = [18, 20, 21, 22, 32, 40];
    const all = ['3A', '3E', '3F', 'AC'].flatMap((prefix) => lengths.map((length) => prefix.padEnd(length, '0')));
    await store(
      storage,
      all.map((id) => message(id)),
    );
    for (const source of ['android', 'ios', 'web', 'desktop', 'unknown'] as const) {
      const expected = all.filter((id) => sourceOf(id) === source);
      expect(expected, source).not.toEqual([]);
      expect((await findIds(storage, { source })).toSorted(), source).toEqual(expected.toSorted());
      expect(await storage.messages.count('a', { source }), source).toBe(expected.length);
    }
  });

  it('messages.findPending() returns a pending message although another chat has a status with its id', async () => {
    const { storage } = await open();
    await store(storage, [at('m', 10, { status: 'PENDING' })]);
    const elsewhere = change('m', 'READ', { key: key('m', { remoteJid: GROUP }) });
    await store(storage, [at('m', 20, { key: elsewhere.key })]);
    await storage.messages.record('a', toEventBatch({ statuses: [{ change: elsewhere, events: [] }] }));
    expect(await storage.messages.findPending('a')).toEqual([key('m')]);
  });

  it('messages.findPending() skips a message whose status is stored under the other address of its chat', async () => {
    const { storage, execute } = await open();
    await store(storage, [at('m', 10, { key: key('m', { remoteJidAlt: '7@lid' }), status: 'PENDING' })]);
    await storage.messages.record('a', toEventBatch({ statuses: [{ change: change('m', 'READ'), events: [] }] }));
    await execute("UPDATE message_status SET chat = '7@lid'");
    expect(await storage.messages.findPending('a')).toEqual([]);
  });

  it('messages.findPending() returns the keys of sent messages without a result, newest first', async () => {
    const fixture = await open();
    const pending = { status: 'PENDING' } as const;
    const group = { key: key('to a group', { remoteJid: GROUP, participant: '1@s.whatsapp.net' }) };
    await store(fixture.storage, [
      at('old', 10, pending),
      at('acknowledged', 20, pending),
      at('to a group', 30, { ...pending, ...group }),
      at('received', 40, { key: key('received', { fromMe: false }) }),
    ]);
    await store(fixture.storage, [at('foreign', 25, pending)], 'b');
    const statuses = [{ change: change('acknowledged', 'SERVER_ACK'), events: [] }];
    await fixture.storage.messages.record('a', toEventBatch({ statuses }));
    for await (const storage of beforeAndAfterRestart(fixture)) {
      expect(await storage.messages.findPending('a')).toEqual([group.key, key('old')]);
    }
  });

  it('messages.find() orders messages of the same second by arrival, newest first', async () => {
    const { storage } = await open();
    await store(storage, [at('a', 10), at('b', 10)]);
    await store(storage, [at('c', 10)]);
    expect(await findIds(storage, { chatAddresses: [CHAT] })).toEqual(['c', 'b', 'a']);
  });

  it('messages.find() finds messages of the first schema after the migration that fills the search columns', async () => {
    const { storage, execute } = await open();
    const received = key('ann', { remoteJid: GROUP, fromMe: false, participant: '1@s.whatsapp.net' });
    const misleadingContent = { conversation: '"fromMe":true,"messageTimestamp":7,"participant":"9@lid" \u0000' };
    await store(storage, [at('mine', 10), at('ann', 20, { key: received, message: misleadingContent })]);
    await execute("UPDATE message SET sent_at = 0, from_me = 0, type = 'unknown', participant = NULL");
    const statements = messageSearch.up(storage.dialect);
    await execute(statements.find((one) => one.startsWith('UPDATE')) ?? '');
    expect(await findIds(storage, { since: 20, until: 20, fromMe: false, participants: ['1@s.whatsapp.net'] })).toEqual(
      ['ann'],
    );
    expect(await findIds(storage, { since: 10, until: 10, fromMe: true, types: ['conversation'] })).toEqual(['mine']);
    expect(await findIds(storage, { participants: ['9@lid'] })).toEqual([]);
  });

  it('messages.find() filters by id, direction, group member, type and time, alone and combined', async () => {
    const { storage } = await open();
    const inGroup = (id: string, participant: string) => key(id, { remoteJid: GROUP, fromMe: false, participant });
    await store(storage, [
      at('mine', 10),
      at('theirs', 20, { key: key('theirs', { fromMe: false }) }),
      at('ann', 30, { key: inGroup('ann', '1@s.whatsapp.net') }),
      at('bob', 40, { key: inGroup('bob', '2@s.whatsapp.net'), messageType: 'imageMessage' }),
    ]);
    expect(await findIds(storage, { id: 'theirs' })).toEqual(['theirs']);
    expect(await findIds(storage, { fromMe: true })).toEqual(['mine']);
    expect(await findIds(storage, { fromMe: false, chatAddresses: [CHAT] })).toEqual(['theirs']);
    expect(await findIds(storage, { participants: ['9@lid', '1@s.whatsapp.net'] })).toEqual(['ann']);
    expect(await findIds(storage, { types: ['imageMessage'] })).toEqual(['bob']);
    expect(await findIds(storage, { types: ['imageMessage', 'conversation'], since: 30 })).toEqual(['bob', 'ann']);
    expect(await findIds(storage, { types: [] })).toEqual([]);
    expect(await findIds(storage, { since: 20, until: 30 })).toEqual(['ann', 'theirs']);
    expect(await findIds(storage, { chatAddresses: [GROUP], id: 'mine' })).toEqual([]);
    expect(await findIds(storage, { chatAddresses: [] })).toEqual([]);
  });

  it('messages.count() counts by type, direction and time, without protocol messages and pruned messages', async () => {
    const fixture = await open();
    await fixture.storage.instances.create(instance('a'));
    const received = at('theirs', 20, { key: key('theirs', { fromMe: false }) });
    const picture = at('picture', 30, { messageType: 'imageMessage' });
    await store(fixture.storage, [
      at('mine', 10),
      received,
      picture,
      at('edit', 40, { messageType: 'protocolMessage' }),
    ]);
    await store(fixture.storage, [received, at('foreign', 20)]);
    const count = (storage: Storage, filter: MessageFilter) => storage.messages.count('a', filter);
    for await (const storage of beforeAndAfterRestart(fixture)) {
      expect(await count(storage, {})).toBe(4);
      expect(await count(storage, { chatAddresses: undefined, fromMe: true })).toBe(3);
      expect(await count(storage, { types: ['conversation'], fromMe: true })).toBe(2);
      expect(await count(storage, { types: ['conversation', 'imageMessage'], fromMe: true })).toBe(3);
      expect(await count(storage, { types: ['protocolMessage'] })).toBe(0);
      expect(await count(storage, { since: 20 })).toBe(3);
      expect((await storage.instances.counts('a')).messages).toBe(5);
      expect(await storage.instances.counts('b')).toEqual({ messages: 0, contacts: 0, chats: 0 });
    }
    const { messages, instances } = await fixture.reopen();
    await messages.prune({ before: 21 });
    expect([await messages.count('a', {}), await messages.count('a', { fromMe: false })]).toEqual([1, 0]);
    await instances.delete('a');
    expect(await messages.count('a', {})).toBe(0);
  });

  it('messages.count() includes the messages of a database from before the table of totals', async () => {
    const fixture = await open();
    for (const statement of undoFromMessageTotals(fixture.storage.dialect)) await fixture.execute(statement);
    await store(fixture.storage, [at('before', 10), at('edit', 20, { messageType: 'protocolMessage' })]);
    await fixture.execute('DELETE FROM schema_version WHERE version >= 12');
    const storage = await fixture.reopen();
    await store(storage, [at('after', 30)]);
    expect(await storage.messages.count('a', {})).toBe(2);
    expect((await storage.instances.counts('a')).messages).toBe(3);
  });

  it('messages.find() returns the messages under every given address of a chat', async () => {
    const { storage } = await open();
    await store(storage, [at('before', 10, { key: key('before', { remoteJid: '7@lid' }) }), at('after', 20)]);
    expect(await findIds(storage, { chatAddresses: [CHAT, '7@lid'] })).toEqual(['after', 'before']);
    expect(await findIds(storage, { chatAddresses: ['8@lid', CHAT] })).toEqual(['after']);
    expect(await findIds(storage, { chatAddresses: ['8@lid', '9@lid'] })).toEqual([]);
    expect(await storage.messages.count('a', { chatAddresses: ['7@lid', CHAT] })).toBe(2);
  });

  it('messages.find() returns pages that neither overlap nor omit a message', async () => {
    const { storage } = await open();
    await store(
      storage,
      Array.from({ length: 25 }, (_, n) => at(`m${n}`, n)),
    );
    const slices = [0, 10, 20, 30].map((offset) => findIds(storage, { chatAddresses: [CHAT] }, { offset, limit: 10 }));
    const found = (await Promise.all(slices)).flat();
    expect(found).toEqual(Array.from({ length: 25 }, (_, n) => `m${24 - n}`));
  });

  it('messages.find() returns each message with its current status and its status history', async () => {
    const { storage } = await open();
    await store(storage, [message('m', { status: 'PENDING' }), message('n', { status: 'PENDING' })]);
    const statuses = [change('m', 'SERVER_ACK', { at: 1 }), change('m', 'READ', { at: 2 })];
    const batch = toEventBatch({ statuses: statuses.map((one) => ({ change: one, events: [] })) });
    await storage.messages.record('a', batch);
    expect(await storage.messages.find('a', { chatAddresses: [CHAT] }, all)).toEqual([
      { message: message('n', { status: 'PENDING' }), statuses: [] },
      { message: message('m', { status: 'READ' }), statuses },
    ]);
  });

  it('messages.findStatuses() filters by every field, and returns the newest message and the highest status first', async () => {
    const { storage } = await open();
    const group = (id: string) => key(id, { remoteJid: GROUP });
    await store(storage, [at('m', 10), at('g', 20, { key: group('g') })]);
    const changes = [
      change('m', 'SERVER_ACK'),
      change('m', 'READ'),
      change('g', 'SERVER_ACK', { key: group('g') }),
      change('g', 'DELIVERY_ACK', { key: { ...group('g'), participant: '1@s.whatsapp.net' } }),
    ];
    await storage.messages.record('a', toEventBatch({ statuses: changes.map((one) => ({ change: one, events: [] })) }));
    const found = async (filter: Parameters<Storage['messages']['findStatuses']>[1], slice = all) =>
      (await storage.messages.findStatuses('a', filter, slice)).map(({ key, status }) => `${key.id} ${status}`);
    expect(await found({})).toEqual(['g DELIVERY_ACK', 'g SERVER_ACK', 'm READ', 'm SERVER_ACK']);
    expect(await found({ chatAddresses: [CHAT] })).toEqual(['m READ', 'm SERVER_ACK']);
    expect(await found({ id: 'g' })).toEqual(['g DELIVERY_ACK', 'g SERVER_ACK']);
    expect(await found({ status: 'SERVER_ACK' })).toEqual(['g SERVER_ACK', 'm SERVER_ACK']);
    expect(await found({ participants: ['1@s.whatsapp.net', '1@lid'] })).toEqual(['g DELIVERY_ACK']);
    expect(await found({ fromMe: false })).toEqual([]);
    expect(await found({}, { offset: 1, limit: 2 })).toEqual(['g SERVER_ACK', 'm READ']);
    expect(await storage.messages.findStatuses('b', {}, all)).toEqual([]);
  });

  it.each([
    'before',
    'after',
  ])('messages.findStatuses() finds statuses that arrive under the LID %s their message', async (order) => {
    const { storage } = await open();
    const keyByBoth = key('m', { remoteJidAlt: '7@lid' });
    const record = (status: MessageStatus, senderKey: typeof keyByBoth) =>
      storage.messages.record(
        'a',
        toEventBatch({ statuses: [{ change: change('m', status, { key: senderKey }), events: [] }] }),
      );
    const keyByLid = key('m', { remoteJid: '7@lid' });
    if (order === 'before') for (const senderKey of [keyByLid, key('m')]) await record('SERVER_ACK', senderKey);
    await store(storage, [at('m', 10, { key: keyByBoth }), at('n', 5, { key: key('n', { remoteJidAlt: '7@lid' }) })]);
    if (order === 'after') await record('SERVER_ACK', keyByLid);
    await record('READ', keyByBoth);
    for (const filter of [{}, { id: 'm' }, { chatAddresses: [CHAT, '7@lid'] }]) {
      const statuses = await storage.messages.findStatuses('a', filter, all);
      expect(statuses.map(({ status }) => status)).toEqual(['READ', 'SERVER_ACK']);
    }
    const [found] = await storage.messages.find('a', { id: 'm' }, all);
    expect(found?.statuses.map(({ status }) => status)).toEqual(['SERVER_ACK', 'READ']);
    expect((await storage.messages.statuses('a', 'm')).map(({ status }) => status)).toEqual(['SERVER_ACK', 'READ']);
    await storage.instances.create(instance('a'));
    await storage.messages.prune({ before: 20 });
    expect(await storage.messages.statuses('a', 'm')).toEqual([]);
  });

  it('messages.statuses() returns the lowest status first, also when both addresses of the chat have statuses', async () => {
    const { storage, execute } = await open();
    await store(storage, [at('m', 10, { key: key('m', { remoteJidAlt: '7@lid' }) })]);
    const statuses = [change('m', 'SERVER_ACK'), change('m', 'READ')];
    await storage.messages.record(
      'a',
      toEventBatch({ statuses: statuses.map((one) => ({ change: one, events: [] })) }),
    );
    await execute("UPDATE message_status SET chat = '7@lid' WHERE rank = 2");
    expect((await storage.messages.find('a', {}, all))[0]?.statuses).toEqual(statuses);
    expect(await storage.messages.statuses('a', 'm')).toEqual(statuses);
  });

  it('messages.find() leaves out protocol messages, and messages.get() returns them', async () => {
    const { storage } = await open();
    const edit = message('edit', { message: { protocolMessage: {} }, messageType: 'protocolMessage' });
    await store(storage, [message('m'), edit]);
    expect(await findIds(storage, {})).toEqual(['m']);
    expect(await findIds(storage, { id: 'edit' })).toEqual([]);
    expect(await storage.messages.count('a', { chatAddresses: [CHAT] })).toBe(1);
    expect(await storage.messages.get('a', 'edit')).toEqual(edit);
  });

  it.each<[string, Message['message'], Message['message'] | undefined]>([
    ['a text', { conversation: 'old' }, { conversation: 'new' }],
    [
      'a text with context',
      { extendedTextMessage: { text: 'old', contextInfo: { stanzaId: 'q' } } },
      { extendedTextMessage: { text: 'new', contextInfo: { stanzaId: 'q' } } },
    ],
    ['a caption', { imageMessage: { url: 'u' } }, { imageMessage: { url: 'u', caption: 'new' } }],
    [
      'a text in a wrapper',
      { ephemeralMessage: { message: { conversation: 'old' } } },
      { ephemeralMessage: { message: { conversation: 'new' } } },
    ],
    ['a message without text', { stickerMessage: { url: 'u' } }, undefined],
  ])('messages.get() and messages.find() return the current content after an edit of %s', async (_, content, edited) => {
    const { storage } = await open();
    await store(storage, [message('m', { message: content })]);
    await storage.messages.record('a', toEventBatch({ edits: [{ key: key('m'), text: 'new', at: 1_700_000_100 }] }));
    const expected = edited ? { message: edited, editedAt: 1_700_000_100 } : { message: content };
    expect(await storage.messages.get('a', 'm')).toEqual(message('m', expected));
    expect((await storage.messages.find('a', {}, all))[0]?.message).toEqual(message('m', expected));
  });

  it('a deleted message has the status DELETED and no content, also when the deletion arrives before the message', async () => {
    const fixture = await open();
    const { storage, execute } = fixture;
    await store(storage, [message('m', { status: 'READ', messageTimestamp: 2 })]);
    const deletionOf = (id: string) =>
      toEventBatch({ statuses: [{ change: change(id, 'DELETED'), events: [event(`gone ${id}`)] }] });
    await storage.messages.record('a', deletionOf('m'));
    await storage.messages.record('a', deletionOf('late'));
    await store(storage, [message('late', { messageTimestamp: 1 })]);
    await storage.messages.record('a', toEventBatch({ edits: [{ key: key('m'), text: 'again', at: 9e9 }] }));
    for await (const reopened of beforeAndAfterRestart(fixture)) {
      const found = await reopened.messages.find('a', {}, all);
      expect(found.map(({ message: one }) => one)).toEqual([
        message('m', { status: 'DELETED', message: {}, messageTimestamp: 2 }),
        message('late', { status: 'DELETED', message: {}, messageTimestamp: 1 }),
      ]);
    }
    expect(JSON.stringify(await execute('SELECT doc FROM message'))).not.toContain('text of');
  });

  it('messages.prune() deletes messages that are older than `before`, with their statuses, and nothing else', async () => {
    const { storage } = await open();
    await storage.instances.create(instance('a'));
    const many = Array.from({ length: 450 }, (_, n) => at(`old${n}`, 100));
    await store(storage, [...many, at('limit', 200), at('new', 300)]);
    const statuses = ['old7', 'new'].map((id) => ({ change: change(id, 'READ'), events: [] }));
    await storage.messages.record('a', toEventBatch({ statuses }));
    expect(await storage.messages.prune({})).toBe(0);
    expect(await storage.messages.prune({ before: 200 })).toBe(450);
    expect(await findIds(storage, {})).toEqual(['new', 'limit']);
    expect(await storage.messages.statuses('a', 'old7')).toEqual([]);
    expect(await storage.messages.statuses('a', 'new')).toHaveLength(1);
    expect(await storage.messages.prune({ before: 200 })).toBe(0);
  });

  it('messages.prune() keeps the newest messages of each instance, also within one second', async () => {
    const { storage } = await open();
    for (const id of ['a', 'b']) {
      await storage.instances.create(instance(id));
      await store(
        storage,
        Array.from({ length: id === 'a' ? 12 : 3 }, (_, n) => at(`${n}`, 100)),
        id,
      );
    }
    expect(await storage.messages.prune({ keep: 5 })).toBe(7);
    expect(await findIds(storage, {})).toEqual(['11', '10', '9', '8', '7']);
    expect(await storage.messages.count('b', {})).toBe(3);
    expect(await storage.messages.prune({ keep: 5, before: 100 })).toBe(0);
    expect(await storage.messages.prune({ keep: 5, before: 101 })).toBe(8);
  });

  it('messages.pruneStatuses() deletes old statuses of messages that are not stored, and no other status', async () => {
    const { storage, execute } = await open();
    await storage.instances.create(instance('a'));
    const early = key('early', { remoteJidAlt: '7@lid' });
    const unknownStatuses = Array.from({ length: 1500 }, (_, n) => change(`invented ${n}`, 'READ', { at: 10 }));
    const others = [
      change('stored', 'READ', { at: 10 }),
      change('early', 'READ', { at: 20, key: { ...early, remoteJid: '7@lid', remoteJidAlt: CHAT } }),
    ];
    await store(storage, [message('stored')]);
    const statuses = [...unknownStatuses, ...others].map((one) => ({ change: one, events: [] }));
    await storage.messages.record('a', toEventBatch({ statuses }));
    expect(await storage.messages.pruneStatuses(20)).toBe(1500);
    const remaining = await execute('SELECT id FROM message_status ORDER BY id');
    expect(remaining).toMatchObject([{ id: 'early' }, { id: 'stored' }]);
    await store(storage, [message('early', { key: early })]);
    expect((await storage.messages.get('a', 'early'))?.status).toBe('READ');
    expect(await storage.messages.pruneStatuses(Date.now())).toBe(0);
  });
}
