// The log of events and what operators do with deliveries: reading on, listing, queueing again, shedding, expiry.
import { expect, it } from 'vitest';
import type { EventRow } from '../../../src/events/event-batch.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import type { Outbox } from '../../../src/storage/webhook-stores.ts';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { event, instance, itemsOf, recording, webhook } from '../samples.ts';

const LANES = [0, 1, 2, 3, 4, 5, 6, 7];
const add = (storage: Storage, ...events: EventRow[]) => storage.messages.record('a', recording({ events }));
const many = (count: number, part: (n: number) => Partial<EventRow> = () => ({})) =>
  Array.from({ length: count }, (_, n) => event(`e${n}`, { lane: `chat ${n % 20}`, ...part(n) }));

async function waiting(outbox: Outbox, webhookId = 'hook') {
  const lanes = await Promise.all(LANES.map((lane) => outbox.pending(webhookId, lane, 0, 100_000)));
  return lanes.flat().sort((a, b) => a.seq - b.seq);
}

async function kill(outbox: Outbox, eventId: string): Promise<void> {
  const found = (await waiting(outbox)).find((one) => one.eventId === eventId);
  const dead = { outcome: 'dead', attempts: 3, status: 400, error: 'refused with 400' } as const;
  await outbox.recordAttempts([{ webhookId: 'hook', lane: found?.lane ?? -1, seq: found?.seq ?? -1, ...dead }]);
}

export function eventLogTests(open: OpenBench): void {
  it('reads an instance’s events in order and to the end, with and without subscriptions', async () => {
    const { storage } = await open();
    await add(storage, ...many(120, (n) => ({ webhookIds: n % 2 ? [] : ['hook'] })));
    await storage.messages.record('b', recording({ events: [event('of b')] }));
    const read: string[] = [];
    let after = 0;
    for (let isEndOfLog = false; !isEndOfLog; ) {
      const page = await storage.events.read('a', { after, limit: 50 });
      read.push(...page.events.map(({ id }) => id));
      ({ upTo: after, isEndOfLog } = page);
    }
    expect(read).toEqual(many(120).map(({ id }) => id));
    expect(await storage.events.newest('a')).toBe(after);
    expect(await storage.events.newest('nobody')).toBe(0);
    await add(storage, event('later', { body: '{"text":"Zoë 🙂"}' }));
    expect((await storage.events.read('a', { after, limit: 50 })).events).toMatchObject([
      { id: 'later', type: 'messages.upsert', body: '{"text":"Zoë 🙂"}' },
    ]);
  });

  it('reads the types that are asked for, passing over any number of others', async () => {
    const { storage } = await open();
    for (let part = 0; part < 5; part += 1) {
      const others = many(1000, (n) => ({ id: `other ${part} ${n}`, type: 'presence.update', webhookIds: [] }));
      await add(storage, ...others, event(`wanted ${part}`, { type: 'call' }));
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
    expect(after).toBe(await storage.events.newest('a'));
  });

  it('finds events by id, in their order', async () => {
    const { storage } = await open();
    await add(storage, ...many(5));
    const found = await storage.events.find('a', ['e3', 'unknown', 'e1']);
    expect(found.map(({ id }) => id)).toEqual(['e1', 'e3']);
    expect(await storage.events.find('b', ['e3'])).toEqual([]);
    const summaries = await storage.events.summaries('a', { after: found[0]?.seq ?? 0, limit: 2 });
    expect(summaries.events.map(({ id }) => id)).toEqual(['e2', 'e3']);
  });

  it('remembers who reads, and forgets with the instance', async () => {
    const bench = await open();
    await bench.storage.instances.create(instance('a'));
    await bench.storage.events.markRead('a', 1000);
    await bench.storage.events.markRead('a', 2000);
    for await (const storage of beforeAndAfterRestart(bench)) {
      expect(await storage.events.lastReads()).toEqual([{ instance: 'a', readAt: 2000 }]);
    }
    const storage = await bench.reopen();
    await storage.instances.delete('a');
    expect(await storage.events.lastReads()).toEqual([]);
  });

  it('lists deliveries newest first, page after page, of one instance', async () => {
    const { storage } = await open();
    await add(storage, ...many(60));
    await storage.messages.record('b', recording({ events: [event('of b')] }));
    await kill(storage.outbox, 'e7');
    const listed: string[] = [];
    for (let below: number | undefined; ; ) {
      const filter = { instance: 'a', states: ['waiting', 'dead'] as const, limit: 25 };
      const page = await storage.outbox.list('hook', below === undefined ? filter : { ...filter, below });
      if (page.length === 0) break;
      listed.push(...page.map(({ eventId }) => eventId));
      below = page.at(-1)?.seq ?? 0;
    }
    expect(listed).toEqual(
      many(60)
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

  it('queues again what was delivered or died, once, and nothing that is gone', async () => {
    const { storage } = await open();
    await add(storage, ...many(4));
    const [first, second, third] = await waiting(storage.outbox);
    await storage.outbox.recordAttempts([
      { webhookId: 'hook', lane: first?.lane ?? -1, seq: first?.seq ?? -1, outcome: 'delivered' },
    ]);
    await kill(storage.outbox, 'e1');
    const seqs = [first, second, third].map((one) => one?.seq ?? -1);
    expect((await storage.outbox.requeue('hook', [...seqs, 9_999_999])).sort()).toEqual(seqs.slice(0, 2));
    expect(await storage.outbox.requeue('hook', seqs)).toEqual([]);
    expect((await waiting(storage.outbox)).map(({ eventId, attempts }) => [eventId, attempts])).toEqual([
      ['e0', 0],
      ['e1', 0],
      ['e2', 0],
      ['e3', 0],
    ]);
    expect(await storage.outbox.depth('hook')).toMatchObject({ waiting: 4, dead: 0 });
    expect((await storage.events.read('a', { after: 0, limit: 10 })).events).toHaveLength(4);
  });

  it('removes what is shed and keeps its event, and gives up what has waited too long', async () => {
    const { storage } = await open();
    await add(storage, ...many(40));
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

  it('keeps a dead letter, with its event, until the window has passed since its death', async () => {
    const { storage, execute } = await open();
    await add(storage, event('dead'));
    await execute('UPDATE event SET created_at = 1000');
    await execute('UPDATE delivery SET created_at = 1000');
    await kill(storage.outbox, 'dead');
    expect(await storage.outbox.prune(Date.now() - 60_000)).toBe(0);
    const [row] = await storage.outbox.list('hook', { instance: 'a', states: ['dead'], limit: 1 });
    expect(await storage.outbox.requeue('hook', [row?.seq ?? -1])).toEqual([row?.seq]);
    expect(await waiting(storage.outbox)).toHaveLength(1);
  });

  it('remembers since when a webhook fails, also after changes of its settings', async () => {
    const bench = await open();
    await bench.storage.webhooks.put(webhook('w1'));
    await bench.storage.webhooks.put(webhook('w2'));
    await bench.storage.outbox.setFailing('w1', 5000);
    await bench.storage.webhooks.put(webhook('w1', { url: 'http://127.0.0.1:9/other' }));
    for await (const storage of beforeAndAfterRestart(bench)) {
      expect(await storage.outbox.failing()).toEqual([{ webhookId: 'w1', since: 5000 }]);
    }
    const storage = await bench.reopen();
    await storage.outbox.setFailing('w1', null);
    expect(await storage.outbox.failing()).toEqual([]);
  });
}
