// The event log, and operations on deliveries: listing, requeueing, discarding, expiry and pruning.
import { expect, it } from 'vitest';
import type { EventRow } from '../../../src/events/event-batch.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import type { Outbox } from '../../../src/storage/webhook-stores.ts';
import { event, instance, itemsOf, toEventBatch, webhook } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const LANES = [0, 1, 2, 3, 4, 5, 6, 7];
const recordEvents = (storage: Storage, ...events: EventRow[]) =>
  storage.messages.record('a', toEventBatch({ events }));
const createEvents = (count: number, part: (n: number) => Partial<EventRow> = () => ({})) =>
  Array.from({ length: count }, (_, n) => event(`e${n}`, { lane: `chat ${n % 20}`, ...part(n) }));

async function waitingDeliveries(outbox: Outbox, webhookId = 'hook') {
  const lanes = await Promise.all(LANES.map((lane) => outbox.listPending(webhookId, lane, 0, 100_000)));
  return lanes.flat().sort((a, b) => a.seq - b.seq);
}

async function makeDeadLetter(outbox: Outbox, eventId: string): Promise<void> {
  const found = (await waitingDeliveries(outbox)).find((one) => one.eventId === eventId);
  const dead = { outcome: 'dead', attempts: 3, status: 400, error: 'refused with 400' } as const;
  await outbox.recordAttempts([{ webhookId: 'hook', lane: found?.lane ?? -1, seq: found?.seq ?? -1, ...dead }]);
}

export function eventLogTests(open: OpenFixture): void {
  it('events.read() returns all events of one instance in order, with and without webhooks', async () => {
    const { storage } = await open();
    await recordEvents(storage, ...createEvents(120, (n) => ({ webhookIds: n % 2 ? [] : ['hook'] })));
    await storage.messages.record('b', toEventBatch({ events: [event('of b')] }));
    const read: string[] = [];
    let after = 0;
    for (let isEndOfLog = false; !isEndOfLog; ) {
      const page = await storage.events.read('a', { after, limit: 50 });
      read.push(...page.events.map(({ id }) => id));
      ({ upTo: after, isEndOfLog } = page);
    }
    expect(read).toEqual(createEvents(120).map(({ id }) => id));
    expect(await storage.events.findNewestSeq('a')).toBe(after);
    expect(await storage.events.findNewestSeq('unknown')).toBe(0);
    await recordEvents(storage, event('later', { body: '{"text":"Zoë 🙂"}' }));
    expect((await storage.events.read('a', { after, limit: 50 })).events).toMatchObject([
      { id: 'later', type: 'messages.upsert', body: '{"text":"Zoë 🙂"}' },
    ]);
  });

  it('events.read() finds all events of the requested types among thousands of other events', async () => {
    const { storage } = await open();
    for (let part = 0; part < 5; part += 1) {
      const others = createEvents(1000, (n) => ({ id: `other ${part} ${n}`, type: 'presence.update', webhookIds: [] }));
      await recordEvents(storage, ...others, event(`wanted ${part}`, { type: 'call' }));
    }
    const read: string[] = [];
    let pages = 0;
    let after = 0;
    for (let isEndOfLog = false; !isEndOfLog; pages += 1) {
      const page = await storage.events.read('a', { after, limit: 2, types: ['call', 'chats.set'] });
      read.push(...page.events.map(({ id }) => id));
      ({ upTo: after, isEndOfLog } = page);
    }
    expect(read).toEqual(Array.from({ length: 5 }, (_, n) => `wanted ${n}`));
    expect(pages).toBeGreaterThan(2);
    expect(after).toBe(await storage.events.findNewestSeq('a'));
  });

  it('events.find() returns events by id in the order of the log, and events.summaries() continues after an event', async () => {
    const { storage } = await open();
    await recordEvents(storage, ...createEvents(5));
    const found = await storage.events.find('a', ['e3', 'unknown', 'e1']);
    expect(found.map(({ id }) => id)).toEqual(['e1', 'e3']);
    expect(await storage.events.find('b', ['e3'])).toEqual([]);
    const summaries = await storage.events.summaries('a', { after: found[0]?.seq ?? 0, limit: 2 });
    expect(summaries.events.map(({ id }) => id)).toEqual(['e2', 'e3']);
  });

  it('events.lastReads() returns the time of the last read of an instance until the instance is deleted', async () => {
    const fixture = await open();
    await fixture.storage.instances.create(instance('a'));
    await fixture.storage.events.markRead('a', 1000);
    await fixture.storage.events.markRead('a', 2000);
    for await (const storage of beforeAndAfterRestart(fixture)) {
      expect(await storage.events.lastReads()).toEqual([{ instance: 'a', readAt: 2000 }]);
    }
    const storage = await fixture.reopen();
    await storage.instances.delete('a');
    expect(await storage.events.lastReads()).toEqual([]);
  });

  it('outbox.list() returns the deliveries of one instance page by page, newest first', async () => {
    const { storage } = await open();
    await recordEvents(storage, ...createEvents(60));
    await storage.messages.record('b', toEventBatch({ events: [event('of b')] }));
    await makeDeadLetter(storage.outbox, 'e7');
    const listed: string[] = [];
    for (let below: number | undefined; ; ) {
      const filter = { instance: 'a', states: ['waiting', 'dead'] as const, limit: 25 };
      const page = await storage.outbox.list('hook', below === undefined ? filter : { ...filter, below });
      if (page.length === 0) break;
      listed.push(...page.map(({ eventId }) => eventId));
      below = page.at(-1)?.seq ?? 0;
    }
    expect(listed).toEqual(
      createEvents(60)
        .map(({ id }) => id)
        .reverse(),
    );
    const dead = await storage.outbox.list('hook', { instance: 'a', states: ['dead'], limit: 10 });
    expect(dead).toMatchObject([
      {
        eventId: 'e7',
        type: 'messages.upsert',
        state: 'dead',
        attempts: 3,
        lastStatus: 400,
        lastError: 'refused with 400',
      },
    ]);
    expect(dead[0]?.diedAt).toBeGreaterThan(1_700_000_000_000);
    expect(await storage.outbox.list('hook', { instance: 'a', states: [], limit: 10 })).toEqual([]);
  });

  it('outbox.requeue() queues delivered events and dead letters again, and skips waiting and unknown events', async () => {
    const { storage } = await open();
    await recordEvents(storage, ...createEvents(4));
    const [first, second, third] = await waitingDeliveries(storage.outbox);
    await storage.outbox.recordAttempts([
      { webhookId: 'hook', lane: first?.lane ?? -1, seq: first?.seq ?? -1, outcome: 'delivered' },
    ]);
    await makeDeadLetter(storage.outbox, 'e1');
    const seqs = [first, second, third].map((one) => one?.seq ?? -1);
    expect((await storage.outbox.requeue('hook', [...seqs, 9_999_999])).sort()).toEqual(seqs.slice(0, 2));
    expect(await storage.outbox.requeue('hook', seqs)).toEqual([]);
    expect((await waitingDeliveries(storage.outbox)).map(({ eventId, attempts }) => [eventId, attempts])).toEqual([
      ['e0', 0],
      ['e1', 0],
      ['e2', 0],
      ['e3', 0],
    ]);
    expect(await storage.outbox.depth('hook')).toMatchObject({ waiting: 4, dead: 0 });
    expect((await storage.events.read('a', { after: 0, limit: 10 })).events).toHaveLength(4);
  });

  it('outbox.discard() deletes deliveries but keeps their events, and outbox.expire() gives up old deliveries', async () => {
    const { storage } = await open();
    await recordEvents(storage, ...createEvents(40));
    const summaries = await storage.outbox.summaries('hook', { state: 'waiting', lane: 3, after: 0, limit: 100 });
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.map(({ seq }) => seq)).toEqual(summaries.map(({ seq }) => seq).sort((a, b) => a - b));
    await storage.outbox.discard(
      'hook',
      summaries.map(({ seq }) => seq),
    );
    expect(await storage.outbox.summaries('hook', { state: 'waiting', lane: 3, after: 0, limit: 100 })).toEqual([]);
    expect((await storage.events.read('a', { after: 0, limit: 100 })).events).toHaveLength(40);
    expect(await itemsOf(storage.outbox.expire('hook', Date.now() - 60_000))).toEqual([]);
    expect(await itemsOf(storage.outbox.expire('hook', Date.now() + 60_000))).toHaveLength(40 - summaries.length);
    expect(await storage.outbox.depth('hook')).toEqual({
      waiting: 0,
      dead: 40 - summaries.length,
      oldestWaitingAt: null,
    });
  });

  it('outbox.prune() keeps a recent dead letter and its event although the event is old', async () => {
    const { storage, execute } = await open();
    await recordEvents(storage, event('dead'));
    await execute('UPDATE event SET created_at = 1000');
    await execute('UPDATE delivery SET created_at = 1000');
    await makeDeadLetter(storage.outbox, 'dead');
    expect(await storage.outbox.prune(Date.now() - 60_000)).toBe(0);
    const [row] = await storage.outbox.list('hook', { instance: 'a', states: ['dead'], limit: 1 });
    expect(await storage.outbox.requeue('hook', [row?.seq ?? -1])).toEqual([row?.seq]);
    expect(await waitingDeliveries(storage.outbox)).toHaveLength(1);
  });

  it('outbox.listFailing() returns since when a webhook fails, also after a change of its settings and a restart', async () => {
    const fixture = await open();
    await fixture.storage.webhooks.put(webhook('w1'));
    await fixture.storage.webhooks.put(webhook('w2'));
    await fixture.storage.outbox.setFailing('w1', 5000);
    await fixture.storage.webhooks.put(webhook('w1', { url: 'http://127.0.0.1:9/other' }));
    for await (const storage of beforeAndAfterRestart(fixture)) {
      expect(await storage.outbox.listFailing()).toEqual([{ webhookId: 'w1', since: 5000 }]);
    }
    const storage = await fixture.reopen();
    await storage.outbox.setFailing('w1', null);
    expect(await storage.outbox.listFailing()).toEqual([]);
  });
}
