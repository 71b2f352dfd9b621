// Finding messages and statuses, edits and deletions, and the removal of what is old.
import { expect, it } from 'vitest';
import type { Message, MessageStatus } from '../../../src/events/events.ts';
import { messageSearch } from '../../../src/storage/migrations/0002-message-search.ts';
import type { MessageFilter, Storage } from '../../../src/storage/storage.ts';
import { sourceOf } from '../../../src/whatsapp/content/message.ts';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { CHAT, change, event, instance, key, message, recording, undoFromMessageTotals } from '../samples.ts';

const GROUP = '1203630@g.us';
const all = { offset: 0, limit: 100 };

const store = (storage: Storage, messages: Message[], id = 'a') =>
  storage.messages.record(id, recording({ messages: messages.map((one) => ({ message: one, events: [] })) }));

const ids = async (storage: Storage, filter: MessageFilter, slice = all) =>
  (await storage.messages.find('a', filter, slice)).map(({ message: { key } }) => key.id);

const at = (id: string, seconds: number, part: Partial<Message> = {}) =>
  message(id, { messageTimestamp: seconds, ...part });

export function messageSearchTests(open: OpenBench): void {
  it('finds the messages of one chat, newest first by their own time', async () => {
    const bench = await open();
    await store(bench.storage, [at('second', 20), at('third', 30), at('first', 10)]);
    await store(bench.storage, [at('elsewhere', 25, { key: key('elsewhere', { remoteJid: GROUP }) })]);
    await store(bench.storage, [at('foreign', 25)], 'b');
    for await (const storage of beforeAndAfterRestart(bench)) {
      expect(await ids(storage, { chatAddresses: [CHAT] })).toEqual(['third', 'second', 'first']);
      expect(await ids(storage, {})).toEqual(['third', 'elsewhere', 'second', 'first']);
      expect(await storage.messages.count('a', { chatAddresses: [CHAT] })).toBe(3);
      expect(await storage.messages.count('a', {})).toBe(4);
    }
  });

  it('finds the messages of each kind of device, as sourceOf() names it', async () => {
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
      expect((await ids(storage, { source })).toSorted(), source).toEqual(expected.toSorted());
      expect(await storage.messages.count('a', { source }), source).toBe(expected.length);
    }
  });

  it('finds a pending message also when another chat has a status with its id', async () => {
    const { storage } = await open();
    await store(storage, [at('m', 10, { status: 'PENDING' })]);
    const elsewhere = change('m', 'READ', { key: key('m', { remoteJid: GROUP }) });
    await store(storage, [at('m', 20, { key: elsewhere.key })]);
    await storage.messages.record('a', recording({ statuses: [{ change: elsewhere, events: [] }] }));
    expect(await storage.messages.findPending('a')).toEqual([key('m')]);
  });

  it('finds no pending message whose status is stored under the other address of its chat', async () => {
    const { storage, execute } = await open();
    await store(storage, [at('m', 10, { key: key('m', { remoteJidAlt: '7@lid' }), status: 'PENDING' })]);
    await storage.messages.record('a', recording({ statuses: [{ change: change('m', 'READ'), events: [] }] }));
    await execute("UPDATE message_status SET chat = '7@lid'");
    expect(await storage.messages.findPending('a')).toEqual([]);
  });

  it('knows which sent messages have no result yet, newest first', async () => {
    const bench = await open();
    const pending = { status: 'PENDING' } as const;
    const group = { key: key('to a group', { remoteJid: GROUP, participant: '1@s.whatsapp.net' }) };
    await store(bench.storage, [
      at('old', 10, pending),
      at('acknowledged', 20, pending),
      at('to a group', 30, { ...pending, ...group }),
      at('received', 40, { key: key('received', { fromMe: false }) }),
    ]);
    await store(bench.storage, [at('foreign', 25, pending)], 'b');
    const statuses = [{ change: change('acknowledged', 'SERVER_ACK'), events: [] }];
    await bench.storage.messages.record('a', recording({ statuses }));
    for await (const storage of beforeAndAfterRestart(bench)) {
      expect(await storage.messages.findPending('a')).toEqual([group.key, key('old')]);
    }
  });

  it('keeps the order of arrival among messages of one second', async () => {
    const { storage } = await open();
    await store(storage, [at('a', 10), at('b', 10)]);
    await store(storage, [at('c', 10)]);
    expect(await ids(storage, { chatAddresses: [CHAT] })).toEqual(['c', 'b', 'a']);
  });

  it('finds messages of the first schema as well as later ones', async () => {
    const { storage, execute } = await open();
    const theirs = key('ann', { remoteJid: GROUP, fromMe: false, participant: '1@s.whatsapp.net' });
    const trap = { conversation: '"fromMe":true,"messageTimestamp":7,"participant":"9@lid" \u0000' };
    await store(storage, [at('mine', 10), at('ann', 20, { key: theirs, message: trap })]);
    await execute("UPDATE message SET sent_at = 0, from_me = 0, type = 'unknown', participant = NULL");
    const statements = messageSearch.up(storage.dialect);
    await execute(statements.find((one) => one.startsWith('UPDATE')) ?? '');
    expect(await ids(storage, { since: 20, until: 20, fromMe: false, participants: ['1@s.whatsapp.net'] })).toEqual([
      'ann',
    ]);
    expect(await ids(storage, { since: 10, until: 10, fromMe: true, types: ['conversation'] })).toEqual(['mine']);
    expect(await ids(storage, { participants: ['9@lid'] })).toEqual([]);
  });

  it('narrows by id, author, sender, kind and time, alone and together', async () => {
    const { storage } = await open();
    const inGroup = (id: string, participant: string) => key(id, { remoteJid: GROUP, fromMe: false, participant });
    await store(storage, [
      at('mine', 10),
      at('theirs', 20, { key: key('theirs', { fromMe: false }) }),
      at('ann', 30, { key: inGroup('ann', '1@s.whatsapp.net') }),
      at('bob', 40, { key: inGroup('bob', '2@s.whatsapp.net'), messageType: 'imageMessage' }),
    ]);
    expect(await ids(storage, { id: 'theirs' })).toEqual(['theirs']);
    expect(await ids(storage, { fromMe: true })).toEqual(['mine']);
    expect(await ids(storage, { fromMe: false, chatAddresses: [CHAT] })).toEqual(['theirs']);
    expect(await ids(storage, { participants: ['9@lid', '1@s.whatsapp.net'] })).toEqual(['ann']);
    expect(await ids(storage, { types: ['imageMessage'] })).toEqual(['bob']);
    expect(await ids(storage, { types: ['imageMessage', 'conversation'], since: 30 })).toEqual(['bob', 'ann']);
    expect(await ids(storage, { types: [] })).toEqual([]);
    expect(await ids(storage, { since: 20, until: 30 })).toEqual(['ann', 'theirs']);
    expect(await ids(storage, { chatAddresses: [GROUP], id: 'mine' })).toEqual([]);
    expect(await ids(storage, { chatAddresses: [] })).toEqual([]);
  });

  it('counts messages by type and direction, without protocol messages', async () => {
    const bench = await open();
    await bench.storage.instances.create(instance('a'));
    const theirs = at('theirs', 20, { key: key('theirs', { fromMe: false }) });
    const picture = at('picture', 30, { messageType: 'imageMessage' });
    await store(bench.storage, [at('mine', 10), theirs, picture, at('edit', 40, { messageType: 'protocolMessage' })]);
    await store(bench.storage, [theirs, at('foreign', 20)]);
    const count = (storage: Storage, filter: MessageFilter) => storage.messages.count('a', filter);
    for await (const storage of beforeAndAfterRestart(bench)) {
      expect(await count(storage, {})).toBe(4);
      expect(await count(storage, { chatAddresses: undefined, fromMe: true })).toBe(3);
      expect(await count(storage, { types: ['conversation'], fromMe: true })).toBe(2);
      expect(await count(storage, { types: ['conversation', 'imageMessage'], fromMe: true })).toBe(3);
      expect(await count(storage, { types: ['protocolMessage'] })).toBe(0);
      expect(await count(storage, { since: 20 })).toBe(3);
      expect((await storage.instances.counts('a')).messages).toBe(5);
      expect(await storage.instances.counts('b')).toEqual({ messages: 0, contacts: 0, chats: 0 });
    }
    const { messages, instances } = await bench.reopen();
    await messages.prune({ before: 21 });
    expect([await messages.count('a', {}), await messages.count('a', { fromMe: false })]).toEqual([1, 0]);
    await instances.delete('a');
    expect(await messages.count('a', {})).toBe(0);
  });

  it('counts the messages of a store from before the totals', async () => {
    const bench = await open();
    for (const statement of undoFromMessageTotals(bench.storage.dialect)) await bench.execute(statement);
    await store(bench.storage, [at('before', 10), at('edit', 20, { messageType: 'protocolMessage' })]);
    await bench.execute('DELETE FROM schema_version WHERE version >= 12');
    const storage = await bench.reopen();
    await store(storage, [at('after', 30)]);
    expect(await storage.messages.count('a', {})).toBe(2);
    expect((await storage.instances.counts('a')).messages).toBe(3);
  });

  it('takes every address of a chat for the same chat', async () => {
    const { storage } = await open();
    await store(storage, [at('before', 10, { key: key('before', { remoteJid: '7@lid' }) }), at('after', 20)]);
    expect(await ids(storage, { chatAddresses: [CHAT, '7@lid'] })).toEqual(['after', 'before']);
    expect(await ids(storage, { chatAddresses: ['8@lid', CHAT] })).toEqual(['after']);
    expect(await ids(storage, { chatAddresses: ['8@lid', '9@lid'] })).toEqual([]);
    expect(await storage.messages.count('a', { chatAddresses: ['7@lid', CHAT] })).toBe(2);
  });

  it('gives slices that neither overlap nor leave out', async () => {
    const { storage } = await open();
    await store(
      storage,
      Array.from({ length: 25 }, (_, n) => at(`m${n}`, n)),
    );
    const slices = [0, 10, 20, 30].map((offset) => ids(storage, { chatAddresses: [CHAT] }, { offset, limit: 10 }));
    const found = (await Promise.all(slices)).flat();
    expect(found).toEqual(Array.from({ length: 25 }, (_, n) => `m${24 - n}`));
  });

  it('gives messages with their current status and how they got there', async () => {
    const { storage } = await open();
    await store(storage, [message('m', { status: 'PENDING' }), message('n', { status: 'PENDING' })]);
    const statuses = [change('m', 'SERVER_ACK', { at: 1 }), change('m', 'READ', { at: 2 })];
    const batch = recording({ statuses: statuses.map((one) => ({ change: one, events: [] })) });
    await storage.messages.record('a', batch);
    expect(await storage.messages.find('a', { chatAddresses: [CHAT] }, all)).toEqual([
      { message: message('n', { status: 'PENDING' }), statuses: [] },
      { message: message('m', { status: 'READ' }), statuses },
    ]);
  });

  it('finds statuses, newest message first and highest first, by every field', async () => {
    const { storage } = await open();
    const group = (id: string) => key(id, { remoteJid: GROUP });
    await store(storage, [at('m', 10), at('g', 20, { key: group('g') })]);
    const changes = [
      change('m', 'SERVER_ACK'),
      change('m', 'READ'),
      change('g', 'SERVER_ACK', { key: group('g') }),
      change('g', 'DELIVERY_ACK', { key: { ...group('g'), participant: '1@s.whatsapp.net' } }),
    ];
    await storage.messages.record('a', recording({ statuses: changes.map((one) => ({ change: one, events: [] })) }));
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

  it.each(['before', 'after'])('finds statuses that arrive by LID %s the message, lowest first', async (order) => {
    const { storage } = await open();
    const byBoth = key('m', { remoteJidAlt: '7@lid' });
    const record = (status: MessageStatus, by: typeof byBoth) =>
      storage.messages.record('a', recording({ statuses: [{ change: change('m', status, { key: by }), events: [] }] }));
    const byLid = key('m', { remoteJid: '7@lid' });
    if (order === 'before') for (const by of [byLid, key('m')]) await record('SERVER_ACK', by);
    await store(storage, [at('m', 10, { key: byBoth }), at('n', 5, { key: key('n', { remoteJidAlt: '7@lid' }) })]);
    if (order === 'after') await record('SERVER_ACK', byLid);
    await record('READ', byBoth);
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

  it('shows statuses lowest first also when they are stored under both addresses of the chat', async () => {
    const { storage, execute } = await open();
    await store(storage, [at('m', 10, { key: key('m', { remoteJidAlt: '7@lid' }) })]);
    const statuses = [change('m', 'SERVER_ACK'), change('m', 'READ')];
    await storage.messages.record('a', recording({ statuses: statuses.map((one) => ({ change: one, events: [] })) }));
    await execute("UPDATE message_status SET chat = '7@lid' WHERE rank = 2");
    expect((await storage.messages.find('a', {}, all))[0]?.statuses).toEqual(statuses);
    expect(await storage.messages.statuses('a', 'm')).toEqual(statuses);
  });

  it('keeps protocol messages for retries and does not list them', async () => {
    const { storage } = await open();
    const edit = message('edit', { message: { protocolMessage: {} }, messageType: 'protocolMessage' });
    await store(storage, [message('m'), edit]);
    expect(await ids(storage, {})).toEqual(['m']);
    expect(await ids(storage, { id: 'edit' })).toEqual([]);
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
    ['what has no text', { stickerMessage: { url: 'u' } }, undefined],
  ])('shows the edit of %s', async (_, content, edited) => {
    const { storage } = await open();
    await store(storage, [message('m', { message: content })]);
    await storage.messages.record('a', recording({ edits: [{ key: key('m'), text: 'new', at: 1_700_000_100 }] }));
    const expected = edited ? { message: edited, editedAt: 1_700_000_100 } : { message: content };
    expect(await storage.messages.get('a', 'm')).toEqual(message('m', expected));
    expect((await storage.messages.find('a', {}, all))[0]?.message).toEqual(message('m', expected));
  });

  it('lets only its author edit a message, and the last edit win', async () => {
    const { storage } = await open();
    const theirs = key('m', {
      fromMe: false,
      remoteJid: GROUP,
      participant: '1@s.whatsapp.net',
      participantAlt: '1@lid',
    });
    await store(storage, [message('m', { key: theirs })]);
    const edit = (text: string, when: number, by: Partial<typeof theirs> = {}) =>
      storage.messages.record('a', recording({ edits: [{ key: { ...theirs, ...by }, text, at: when }] }));
    const text = async () => (await storage.messages.get('a', 'm'))?.message.conversation;
    await edit('forged', 10, { participant: '2@s.whatsapp.net', participantAlt: '2@lid' });
    await edit('forged', 10, { fromMe: true });
    await edit('elsewhere', 10, { remoteJid: CHAT });
    expect(await text()).toBe('text of m');
    await edit('second', 30);
    await edit('first', 20);
    expect(await text()).toBe('second');
    await edit('third', 40, { participant: '1@lid', participantAlt: '1@s.whatsapp.net' });
    expect(await text()).toBe('third');
  });

  it('keeps a deleted message as DELETED and forgets its content, in any order', async () => {
    const bench = await open();
    const { storage, execute } = bench;
    await store(storage, [message('m', { status: 'READ', messageTimestamp: 2 })]);
    const gone = (id: string) =>
      recording({ statuses: [{ change: change(id, 'DELETED'), events: [event(`gone ${id}`)] }] });
    await storage.messages.record('a', gone('m'));
    await storage.messages.record('a', gone('late'));
    await store(storage, [message('late', { messageTimestamp: 1 })]);
    await storage.messages.record('a', recording({ edits: [{ key: key('m'), text: 'again', at: 9e9 }] }));
    for await (const reopened of beforeAndAfterRestart(bench)) {
      const found = await reopened.messages.find('a', {}, all);
      expect(found.map(({ message: one }) => one)).toEqual([
        message('m', { status: 'DELETED', message: {}, messageTimestamp: 2 }),
        message('late', { status: 'DELETED', message: {}, messageTimestamp: 1 }),
      ]);
    }
    expect(JSON.stringify(await execute('SELECT doc FROM message'))).not.toContain('text of');
  });

  it('removes what is older than the limit, with its statuses, and nothing else', async () => {
    const { storage } = await open();
    await storage.instances.create(instance('a'));
    const many = Array.from({ length: 450 }, (_, n) => at(`old${n}`, 100));
    await store(storage, [...many, at('limit', 200), at('new', 300)]);
    const statuses = ['old7', 'new'].map((id) => ({ change: change(id, 'READ'), events: [] }));
    await storage.messages.record('a', recording({ statuses }));
    expect(await storage.messages.prune({})).toBe(0);
    expect(await storage.messages.prune({ before: 200 })).toBe(450);
    expect(await ids(storage, {})).toEqual(['new', 'limit']);
    expect(await storage.messages.statuses('a', 'old7')).toEqual([]);
    expect(await storage.messages.statuses('a', 'new')).toHaveLength(1);
    expect(await storage.messages.prune({ before: 200 })).toBe(0);
  });

  it('keeps the newest of each instance, even within one second', async () => {
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
    expect(await ids(storage, {})).toEqual(['11', '10', '9', '8', '7']);
    expect(await storage.messages.count('b', {})).toBe(3);
    expect(await storage.messages.prune({ keep: 5, before: 100 })).toBe(0);
    expect(await storage.messages.prune({ keep: 5, before: 101 })).toBe(8);
  });

  it('removes old statuses whose message is not stored, and those of no other message', async () => {
    const { storage, execute } = await open();
    await storage.instances.create(instance('a'));
    const early = key('early', { remoteJidAlt: '7@lid' });
    const invented = Array.from({ length: 1500 }, (_, n) => change(`invented ${n}`, 'READ', { at: 10 }));
    const others = [
      change('stored', 'READ', { at: 10 }),
      change('early', 'READ', { at: 20, key: { ...early, remoteJid: '7@lid', remoteJidAlt: CHAT } }),
    ];
    await store(storage, [message('stored')]);
    const statuses = [...invented, ...others].map((one) => ({ change: one, events: [] }));
    await storage.messages.record('a', recording({ statuses }));
    expect(await storage.messages.pruneStatuses(20)).toBe(1500);
    const left = await execute('SELECT id FROM message_status ORDER BY id');
    expect(left).toMatchObject([{ id: 'early' }, { id: 'stored' }]);
    await store(storage, [message('early', { key: early })]);
    expect((await storage.messages.get('a', 'early'))?.status).toBe('READ');
    expect(await storage.messages.pruneStatuses(Date.now())).toBe(0);
  });
}
