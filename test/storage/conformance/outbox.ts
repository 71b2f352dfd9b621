// The outbox of deliveries: order, lanes, outcomes and pruning. Also the store of webhooks.
import { expect, it } from 'vitest';
import type { EventRow } from '../../../src/events/event-batch.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import type { AttemptRecord, Outbox } from '../../../src/storage/webhook-stores.ts';
import { event, itemsOf, toEventBatch, webhook } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const recordEvents = (storage: Storage, ...events: EventRow[]) =>
  storage.messages.record('a', toEventBatch({ events }));

async function waitingDeliveries(outbox: Outbox, webhookId = 'hook') {
  const found = [];
  for (const { webhookId: id, lane } of await outbox.listWaitingLanes()) {
    if (id === webhookId) found.push(...(await outbox.listPending(id, lane, 0, 100_000)));
  }
  return found.sort((a, b) => a.seq - b.seq);
}

export function outboxTests(open: OpenFixture): void {
  it('outbox.listPending() returns an event exactly as it was stored', async () => {
    const { storage } = await open();
    const body = '{"text":"Zoë 🙂 \\u0000"}';
    await recordEvents(storage, event('e', { type: 'connection.update', lane: '', body }));
    expect(await storage.outbox.listPending('hook', 0, 0, 10)).toEqual([
      {
        webhookId: 'hook',
        seq: expect.any(Number),
        eventId: 'e',
        instanceId: 'a',
        type: 'connection.update',
        lane: 0,
        body,
        attempts: 0,
        nextAt: 0,
        createdAt: expect.any(Number),
      },
    ]);
  });

  it('messages.record() stores an event once per id and instance, with one delivery per webhook', async () => {
    const { storage } = await open();
    await recordEvents(storage, event('e', { webhookIds: ['x', 'y', 'x'] }), event('e', { body: 'other' }));
    await recordEvents(storage, event('e', { webhookIds: ['z'] }));
    await storage.messages.record('b', toEventBatch({ events: [event('e', { webhookIds: ['b'] })] }));
    const backlog = await storage.outbox.listWaitingLanes();
    expect(backlog.map((one) => one.webhookId)).toEqual(['b', 'x', 'y']);
    expect(await waitingDeliveries(storage.outbox, 'x')).toHaveLength(1);
  });

  it('messages.record() returns the lanes in which a batch queued deliveries', async () => {
    const { storage } = await open();
    const chats = Array.from({ length: 24 }, (_, n) => `${n}@s.whatsapp.net`);
    const events = chats.map((lane, n) => event(lane, { lane, webhookIds: n % 2 === 0 ? ['even'] : ['odd', 'all'] }));
    const { queued } = await recordEvents(storage, ...events);
    const lanes = [...queued].flatMap(([webhookId, numbers]) => [...numbers].map((lane) => ({ webhookId, lane })));
    expect(new Set(lanes)).toEqual(new Set(await storage.outbox.listWaitingLanes()));
    expect((await recordEvents(storage, ...events)).queued).toEqual(new Map());
    expect((await recordEvents(storage, event('silent', { webhookIds: [] }))).queued).toEqual(new Map());
    expect((await recordEvents(storage, event('own', { lane: '' }))).queued).toEqual(new Map([['hook', new Set([0])]]));
  });

  it('the outbox keeps the events of a chat in one lane, and the events of an instance in lane 0', async () => {
    const { storage } = await open();
    const chats = Array.from({ length: 64 }, (_, n) => `${n}@s.whatsapp.net`);
    for (const turn of [1, 2]) {
      await recordEvents(
        storage,
        ...chats.map((lane) => event(`${lane}-${turn}`, { lane })),
        event(`own-${turn}`, { lane: '' }),
      );
    }
    const found = await waitingDeliveries(storage.outbox);
    expect(new Set(found.map((one) => one.lane))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
    const lanesOf = (name: string) => found.filter((one) => one.eventId.startsWith(`${name}-`)).map((one) => one.lane);
    for (const chat of chats) expect(new Set(lanesOf(chat)).size).toBe(1);
    expect(lanesOf('own')).toEqual([0, 0]);
  });

  it('outbox.listPending() reads a lane of 10,000 deliveries in order, page by page', async () => {
    const { storage } = await open();
    const ids = Array.from({ length: 10_000 }, (_, n) => `e${n}`);
    for (let start = 0; start < ids.length; start += 1000) {
      await recordEvents(storage, ...ids.slice(start, start + 1000).map((id) => event(id, { lane: '' })));
    }
    const read: string[] = [];
    for (let after = 0; ; ) {
      const window = await storage.outbox.listPending('hook', 0, after, 999);
      if (window.length === 0) break;
      read.push(...window.map((one) => one.eventId));
      after = window.at(-1)?.seq ?? after;
    }
    expect(read).toEqual(ids);
  });

  it('a reader of a lane gets all events of concurrent calls in ascending order of seq', async () => {
    const { storage } = await open();
    const seen: number[] = [];
    let after = 0;
    const read = async () => {
      const window = await storage.outbox.listPending('hook', 0, after, 1000);
      seen.push(...window.map((one) => one.seq));
      after = window.at(-1)?.seq ?? after;
    };
    const calls = Array.from({ length: 200 }, (_, n) => recordEvents(storage, event(`e${n}`, { lane: '' })));
    for (let turn = 0; turn < 20; turn += 1) await read();
    await Promise.all(calls);
    await read();
    expect(seen).toHaveLength(200);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('outbox.recordAttempts() deletes a successful delivery, keeps a retry and counts a dead letter', async () => {
    const fixture = await open();
    const { storage } = fixture;
    await recordEvents(storage, ...['ok', 'again', 'bad', 'rest'].map((id) => event(id, { lane: '' })));
    const [ok, reopened, bad] = await waitingDeliveries(storage.outbox);
    const attempts = [
      { webhookId: 'hook', lane: ok?.lane ?? -1, seq: ok?.seq ?? -1, outcome: 'delivered' },
      {
        webhookId: 'hook',
        lane: reopened?.lane ?? -1,
        seq: reopened?.seq ?? -1,
        outcome: 'retry',
        attempts: 2,
        nextAt: 5000,
        status: 500,
        error: null,
      },
      {
        webhookId: 'hook',
        lane: bad?.lane ?? -1,
        seq: bad?.seq ?? -1,
        outcome: 'dead',
        attempts: 3,
        status: null,
        error: 'refused \u0000',
      },
      { webhookId: 'unknown', lane: 0, seq: 1, outcome: 'delivered' },
    ] satisfies AttemptRecord[];
    await storage.outbox.recordAttempts(attempts);
    await storage.outbox.recordAttempts(attempts.slice(0, 1));
    for await (const store of beforeAndAfterRestart(fixture)) {
      const remaining = await waitingDeliveries(store.outbox);
      expect(remaining.map(({ eventId, attempts, nextAt }) => [eventId, attempts, nextAt])).toEqual([
        ['again', 2, 5000],
        ['rest', 0, 0],
      ]);
      expect(await store.outbox.depth('hook')).toMatchObject({ waiting: 2, dead: 1 });
    }
  });

  it('outbox.prune() deletes old events without waiting deliveries and old dead letters, and nothing else', async () => {
    const { storage, execute } = await open();
    const many = Array.from({ length: 2500 }, (_, n) => event(`old${n}`, { webhookIds: [] }));
    await recordEvents(storage, ...many, event('waits'), event('dead'), event('done'));
    const [, dead, done] = await waitingDeliveries(storage.outbox);
    await storage.outbox.recordAttempts([
      {
        webhookId: 'hook',
        lane: dead?.lane ?? -1,
        seq: dead?.seq ?? -1,
        outcome: 'dead',
        attempts: 1,
        status: 400,
        error: null,
      },
      { webhookId: 'hook', lane: done?.lane ?? -1, seq: done?.seq ?? -1, outcome: 'delivered' },
    ]);
    expect(await storage.outbox.prune(Date.now() - 60_000)).toBe(0);
    expect(await storage.outbox.prune(Date.now() + 60_000)).toBe(2503);
    expect((await execute('SELECT id FROM event')).map((row) => (row as { id: string }).id)).toEqual(['waits']);
    expect(await storage.outbox.depth('hook')).toMatchObject({ waiting: 1, dead: 0 });
  });

  it('a new event does not get the seq of a pruned event', async () => {
    const { storage, reopen } = await open();
    await recordEvents(storage, event('first'));
    const [first] = await waitingDeliveries(storage.outbox);
    await storage.outbox.recordAttempts([
      { webhookId: 'hook', lane: first?.lane ?? -1, seq: first?.seq ?? -1, outcome: 'delivered' },
    ]);
    await storage.outbox.prune(Date.now() + 60_000);
    const reopened = await reopen();
    await recordEvents(reopened, event('second'));
    const [second] = await waitingDeliveries(reopened.outbox);
    expect(second?.seq).toBeGreaterThan(first?.seq ?? Number.NaN);
  });

  it('webhooks.put() replaces a webhook by id, and webhooks.delete() also deletes its deliveries', async () => {
    const { storage } = await open();
    const first = webhook('w1', {
      headers: { authorization: 'Bearer x\u0000' },
      events: ['messages.upsert'],
      base64: true,
    });
    const second = webhook('w2', { createdAt: 500, enabled: false, byEvents: true });
    await storage.webhooks.put(first);
    await storage.webhooks.put(second);
    expect(await storage.webhooks.list()).toEqual([second, first]);
    const changed = { ...first, url: 'https://example.org/', secret: 'whsec_bmV3' };
    await storage.webhooks.put(changed);
    await recordEvents(storage, event('e', { webhookIds: ['w1', 'w2'] }));
    expect(await storage.webhooks.list()).toEqual([second, changed]);
    await storage.webhooks.delete(webhook('w2'));
    expect(await storage.webhooks.list()).toEqual([changed]);
    expect((await storage.outbox.listWaitingLanes()).map((one) => one.webhookId)).toEqual(['w1']);
  });

  it('webhooks.list() returns the role, the chat filter and the old secrets of a webhook, also after a restart', async () => {
    const fixture = await open();
    const special = webhook('w1', {
      ...{ instanceId: '', role: 'global', chats: { only: ['direct'], except: ['1@lid'] } },
      oldSecrets: [{ secret: 'whsec_b2xk', until: 9000 }],
    });
    await fixture.storage.webhooks.put(special);
    for await (const storage of beforeAndAfterRestart(fixture))
      expect(await storage.webhooks.list()).toEqual([special]);
  });

  it('webhooks.list() returns the URL of a webhook that was stored before URLs were encrypted', async () => {
    const fixture = await open();
    await fixture.storage.webhooks.put(webhook('w1', { url: undefined }));
    const doc = JSON.stringify({ url: 'http://before.test/', events: [], byEvents: false, base64: false });
    await fixture.execute(`UPDATE webhook SET doc = '${doc}'`);
    expect(await fixture.storage.webhooks.list()).toMatchObject([
      { url: 'http://before.test/', secret: 'whsec_c2VjcmV0' },
    ]);
  });

  it('outbox.expire() and webhooks.delete() work for more deliveries than one transaction changes', async () => {
    const { storage } = await open();
    await storage.webhooks.put(webhook('w1'));
    const events = Array.from({ length: 2_500 }, (_, n) => event(`${n}`, { webhookIds: ['w1'] }));
    await storage.messages.record('a', toEventBatch({ events }));
    expect(new Set(await itemsOf(storage.outbox.expire('w1', Date.now() + 60_000))).size).toBe(2_500);
    expect(await storage.outbox.depth('w1')).toMatchObject({ waiting: 0, dead: 2_500 });
    await storage.messages.record('a', toEventBatch({ events: [event('last', { webhookIds: ['w1'] })] }));
    expect(await storage.webhooks.delete(webhook('w1'))).toBe(1);
    expect(await storage.outbox.depth('w1')).toEqual({ waiting: 0, dead: 0, oldestWaitingAt: null });
    expect(await storage.webhooks.list()).toEqual([]);
  });

  it('webhooks.delete() deletes the deliveries of the webhook and returns how many were waiting', async () => {
    const { storage } = await open();
    await storage.webhooks.put(webhook('w1'));
    await storage.webhooks.put(webhook('w2'));
    const events = ['a', 'b', 'c'].map((id) => event(id, { webhookIds: ['w1', 'w2'] }));
    await storage.messages.record('a', toEventBatch({ events }));
    const [first] = await waitingDeliveries(storage.outbox, 'w1');
    const dead = { outcome: 'dead', attempts: 1, status: 400, error: null } as const;
    await storage.outbox.recordAttempts([{ webhookId: 'w1', lane: first?.lane ?? -1, seq: first?.seq ?? -1, ...dead }]);
    expect(await storage.outbox.depthOfAll()).toEqual({ waiting: 5, dead: 1, oldestWaitingAt: expect.any(Number) });
    expect(await storage.webhooks.delete(webhook('w1'))).toBe(2);
    expect(await storage.outbox.depthOfAll()).toMatchObject({ waiting: 3, dead: 0 });
    expect(await storage.outbox.depth('w1')).toEqual({ waiting: 0, dead: 0, oldestWaitingAt: null });
    expect((await storage.outbox.depth('w2')).waiting).toBe(3);
    await recordEvents(storage, event('late', { webhookIds: ['w1'] }));
    expect(await storage.outbox.depthOfAll()).toMatchObject({ waiting: 3 });
    expect(await storage.webhooks.delete(webhook('w1'))).toBe(1);
    expect(await storage.webhooks.delete(webhook('w1'))).toBe(0);
  });
}
