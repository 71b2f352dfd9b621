import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventBatch, EventRow } from '../../src/events/event-batch.ts';
import type { DomainEvent, Message } from '../../src/events/events.ts';
import { createEventRecorder } from '../../src/events/recorder.ts';
import { openStorage } from '../../src/storage/open.ts';
import { FakeClock } from '../support/instance-fakes.ts';

const message: Message = {
  key: { remoteJid: '49@s.whatsapp.net', fromMe: false, id: 'A1' },
  message: { conversation: 'hello' },
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'android',
};

function createRecorder({ subscribed = true, queued = true } = {}) {
  const recorded: EventBatch[] = [];
  const store = { refuses: (_batch: EventBatch): boolean => false };
  const clock = new FakeClock();
  const lines: unknown[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const wokenInstances: string[] = [];
  const lanes: unknown[] = [];
  const toRows = (event: DomainEvent): EventRow[] => [
    { id: `evt_${event.type}`, type: event.type, lane: '', body: '{}', webhookIds: ['w'] },
  ];
  const recorder = createEventRecorder({
    store: {
      record: async (_instance, batch) => {
        if (store.refuses(batch)) throw new Error('no store');
        recorded.push(batch);
        return { queued: new Map(queued ? [['w', new Set([3])]] : []), events: queued ? batch.events : [] };
      },
    },
    publish: (_id, event) => (subscribed ? toRows(event) : []),
    clock,
    log,
  });
  recorder.addListener({
    onStored(id, _stored, queuedLanes) {
      lanes.push(queuedLanes);
      if (queuedLanes?.size !== 0) wokenInstances.push(id);
    },
  });
  const { record } = recorder;
  const stored = () => recorded.flatMap(({ messages }) => messages.map((one) => one.message.key.id));
  return { recorder, record, recorded, wokenInstances, lanes, store, clock, lines, stored };
}

describe('createEventRecorder', () => {
  it('a batch is stored in one transaction, each part with its own events, and wakes the delivery', async () => {
    const { record, recorded, wokenInstances } = createRecorder();
    const key = message.key;
    await record('i', [
      { type: 'messages.upsert', message },
      { type: 'messages.update', key, status: 'ERROR', at: 5, code: '463', reason: 'restricted' },
      { type: 'contacts.upsert', contacts: [{ jid: '49@s.whatsapp.net', pushName: 'Ann' }] },
      { type: 'logout.instance' },
    ]);
    expect(recorded).toMatchObject([
      {
        messages: [{ message, events: [{ type: 'messages.upsert' }] }],
        statuses: [
          {
            change: { key, status: 'ERROR', at: 5, code: '463', reason: 'restricted' },
            events: [{ type: 'messages.update' }],
          },
        ],
        contacts: [{ jid: '49@s.whatsapp.net', pushName: 'Ann' }],
        events: [{ type: 'contacts.upsert' }, { type: 'logout.instance' }],
      },
    ]);
    expect(wokenInstances).toEqual(['i']);
  });

  it('the events of a batch are stored in the order in which they happened', async () => {
    const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
    onTestFinished(() => storage.close());
    const { key } = message;
    const events: DomainEvent[] = [
      { type: 'messages.upsert', message },
      { type: 'messages.edited', key, text: 'hallo', message: { conversation: 'hallo' }, at: 2 },
      { type: 'chats.update', chats: [{ jid: key.remoteJid, archived: false }] },
      { type: 'messages.delete', key, at: 3 },
      { type: 'messages.upsert', message: { ...message, key: { ...key, id: 'A2' } } },
    ];
    const { record } = createEventRecorder({
      store: storage.messages,
      publish: (_id, event) => [
        { id: `evt_${events.indexOf(event)}`, type: event.type, lane: '', body: '{}', webhookIds: ['w'] },
      ],
      clock: new FakeClock(),
      log: pino({ enabled: false }),
    });
    await record('i', events);
    const { events: stored } = await storage.events.read('i', { after: 0, limit: 10 });
    expect(stored.map(({ id }) => id)).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4']);
  });

  it('a batch stores history messages without own events, votes, and no status for a deletion for this account', async () => {
    const { record, recorded } = createRecorder();
    const { key } = message;
    const vote = { id: 'V', voter: '50@s.whatsapp.net', options: ['a'], at: 5 };
    await record('i', [
      { type: 'messages.set', messages: [message, { ...message, key: { ...key, id: 'A2' } }] },
      { type: 'messages.update', key, at: 5, vote, pollUpdates: [{ name: 'a', voters: [vote.voter] }] },
      { type: 'messages.delete', key, at: 6, scope: 'me' },
      { type: 'chats.update', chats: [{ jid: key.remoteJid, archived: true }] },
    ]);
    expect(recorded).toMatchObject([
      {
        messages: [
          { message: { key: { id: 'A1' } }, events: [] },
          { message: { key: { id: 'A2' } }, events: [] },
        ],
        statuses: [],
        votes: [{ key, vote }],
        events: [
          { type: 'messages.set' },
          { type: 'messages.update' },
          { type: 'messages.delete' },
          { type: 'chats.update' },
        ],
      },
    ]);
    expect(recorded[0]?.messages[0]?.message).not.toHaveProperty('status');
  });

  it('a sent message is stored as PENDING', async () => {
    const { record, recorded } = createRecorder();
    await record('i', [{ type: 'send.message', message }]);
    expect(recorded[0]?.messages[0]?.message.status).toBe('PENDING');
  });

  it('messages without a subscriber are stored, and wake no deliveries', async () => {
    const { record, recorded, wokenInstances } = createRecorder({ subscribed: false, queued: false });
    await record('i', [{ type: 'messages.upsert', message }]);
    expect(recorded[0]?.messages).toEqual([{ message, events: [] }]);
    expect(wokenInstances).toEqual([]);
  });

  it('a batch without data does not use the store', async () => {
    const { record, recorded } = createRecorder({ subscribed: false });
    await record('i', [{ type: 'presence.update', id: 'c', presences: {} }]);
    await record('i', []);
    expect(recorded).toEqual([]);
  });
});

describe('failures of the store', () => {
  const received = (id: string): DomainEvent => ({
    type: 'messages.upsert',
    message: { ...message, key: { ...message.key, id } },
  });

  it('a failed batch rejects, and is retried until it is stored', async () => {
    const { record, store, clock, stored, wokenInstances } = createRecorder();
    store.refuses = () => true;
    await expect(record('i', [received('1')])).rejects.toThrow('no store');
    await clock.advance(5_000);
    expect([stored(), wokenInstances]).toEqual([[], []]);
    store.refuses = () => false;
    await clock.advance(1_000);
    expect([stored(), wokenInstances]).toEqual([['1'], ['i']]);
    expect(clock.pending).toEqual([]);
  });

  it('a retried batch wakes the delivery, because the failed transaction may have been committed', async () => {
    const { record, store, clock, wokenInstances, lanes } = createRecorder({ queued: false });
    store.refuses = () => true;
    await expect(record('i', [{ type: 'messages.upsert', message }])).rejects.toThrow('no store');
    store.refuses = () => false;
    await clock.advance(1_000);
    expect(wokenInstances).toEqual(['i']);
    expect(lanes).toEqual([undefined]);
  });

  it('a batch that is stored at the first attempt wakes only the lanes of its deliveries', async () => {
    const { record, lanes } = createRecorder();
    await record('i', [received('1')]);
    expect(lanes).toEqual([new Map([['w', new Set([3])]])]);
  });

  it('a failed batch is stored before later batches of its instance, and other instances do not wait', async () => {
    const { record, store, stored } = createRecorder();
    store.refuses = (batch) => batch.messages.some((one) => one.message.key.id !== 'other');
    await expect(record('i', [received('1')])).rejects.toThrow();
    await expect(record('i', [received('2')])).rejects.toThrow();
    await record('j', [received('other')]);
    store.refuses = () => false;
    await record('i', [received('3')]);
    expect(stored()).toEqual(['other', '1', '2', '3']);
  });

  it('a batch that fails after a recovery is retried once per second, like the first failed batch', async () => {
    const { record, store, clock } = createRecorder();
    let attempts = 0;
    const refuse = () => {
      attempts++;
      return true;
    };
    store.refuses = refuse;
    await expect(record('i', [received('1')])).rejects.toThrow();
    await clock.advance(500);
    store.refuses = () => false;
    await record('i', [received('2')]);
    store.refuses = refuse;
    await expect(record('i', [received('3')])).rejects.toThrow();
    attempts = 0;
    await clock.advance(5_000);
    expect(attempts).toBe(5);
  });

  it('flush() retries all failed batches once, and logs the batches that are lost', async () => {
    const { recorder, record, store, stored, lines } = createRecorder();
    store.refuses = (batch) => batch.messages.some((one) => one.message.key.id === 'bad');
    await expect(record('i', [received('bad')])).rejects.toThrow();
    await expect(record('j', [received('bad')])).rejects.toThrow();
    store.refuses = (batch) => batch.messages.length > 0 && stored().length > 0;
    await recorder.flush();
    expect(stored()).toEqual(['bad']);
    expect(lines).toEqual(['event.batch.recovered', 'event.batch.lost']);
  });

  it('the failed batches of a long outage are stored in order', async () => {
    const { record, store, clock, stored } = createRecorder();
    store.refuses = () => true;
    for (const id of ['1', '2', '3']) await expect(record('i', [received(id)])).rejects.toThrow();
    await clock.advance(120_000);
    store.refuses = () => false;
    await clock.advance(1_000);
    expect(stored()).toEqual(['1', '2', '3']);
  });

  it.each([
    1, 2, 5,
  ])('a row of %i batches that keep failing does not block later batches of the instance', async (count) => {
    const { record, store, clock, stored } = createRecorder();
    const failingIds = Array.from({ length: count }, () => 'bad');
    store.refuses = (batch) => batch.messages.some((one) => one.message.key.id === 'bad');
    for (const id of [...failingIds, 'soon']) await expect(record('i', [received(id)])).rejects.toThrow();
    await clock.advance(70_000);
    await record('i', [received('later')]);
    expect(stored()).toEqual(['soon', 'later']);
    store.refuses = () => false;
    await clock.advance(1_000);
    expect(stored()).toEqual(['soon', 'later', ...failingIds]);
  });
});

describe('events that the store rejects because of their content', () => {
  const messageWithId = (id: string): Message => ({ ...message, key: { ...message.key, id } });
  const upsert = (id: string): DomainEvent => ({ type: 'messages.upsert', message: messageWithId(id) });
  const isPoison = (text: unknown) => JSON.stringify(text).includes('poison');

  function createRejectingRecorder() {
    const storedTypes: string[] = [];
    const storedIds: string[] = [];
    const outage: { error?: Error | undefined } = {};
    let skipped = 0;
    const clock = new FakeClock();
    const recorder = createEventRecorder({
      store: {
        record: async (_instance, batch) => {
          if (outage.error) throw outage.error;
          if (isPoison([batch.messages, batch.contacts])) throw new RangeError('too big');
          storedIds.push(...batch.messages.map((one) => one.message.key.id), ...batch.contacts.map(({ jid }) => jid));
          const events = [...batch.messages.flatMap((one) => one.events), ...batch.events];
          storedTypes.push(...events.map(({ type }) => type));
          return { queued: new Map([['w', new Set([0])]]), events };
        },
      },
      publish: (_id, event) => {
        if (event.type === 'call') throw new TypeError('cannot be posted');
        return [{ id: event.type, type: event.type, lane: '', body: '{}', webhookIds: ['w'] }];
      },
      isRejected: (err) => err instanceof RangeError,
      clock,
      log: pino({ level: 'silent' }),
    });
    recorder.addListener({ onSkipped: () => void skipped++ });
    const { record } = recorder;
    return { recorder, record, storedTypes, storedIds, outage, clock, skipped: () => skipped };
  }

  it('a rejected event is skipped and reported, and the others are stored in order', async () => {
    const { record, storedTypes, storedIds, skipped } = createRejectingRecorder();
    await record('i', [upsert('A1'), upsert('poison'), upsert('A2')]);
    expect(storedIds).toEqual(['A1', 'A2']);
    expect(storedTypes).toEqual(['messages.upsert', 'messages.undecryptable', 'messages.upsert']);
    expect(skipped()).toBe(1);
    await record('i', [upsert('A3')]);
    expect(storedIds).toEqual(['A1', 'A2', 'A3']);
  });

  it('a rejected history message or contact is skipped, and the others of its list are stored', async () => {
    const { record, storedIds, skipped } = createRejectingRecorder();
    const contacts = ['1@s', 'poison', '2@s'].map((jid) => ({ jid }));
    await record('i', [
      { type: 'messages.set', messages: [messageWithId('P1'), messageWithId('poison'), messageWithId('P2')] },
      { type: 'contacts.upsert', contacts },
    ]);
    expect(storedIds).toEqual(['P1', 'P2', '1@s', '2@s']);
    expect(skipped()).toBe(2);
  });

  it('a rejected event in a retried batch is skipped', async () => {
    const { recorder, record, storedIds, outage, clock } = createRejectingRecorder();
    outage.error = new Error('down');
    await expect(record('i', [upsert('A1'), upsert('poison'), upsert('A2')])).rejects.toThrow('down');
    outage.error = undefined;
    await clock.advance(1_000);
    await recorder.flush();
    expect(storedIds).toEqual(['A1', 'A2']);
  });

  it('an event that cannot be published is skipped, and the other events are stored', async () => {
    const { record, storedTypes, skipped } = createRejectingRecorder();
    const call: DomainEvent = { type: 'call', id: 'c', chatId: 'x', from: 'x', status: 'offer', at: 1, offline: false };
    await record('i', [upsert('A1'), call]);
    expect(storedTypes).toEqual(['messages.upsert']);
    expect(skipped()).toBe(1);
  });
});
