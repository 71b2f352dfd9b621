import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { LogPosition } from '../../src/events/event-cursor.ts';
import type { EventLogReader } from '../../src/events/event-log.ts';
import { EventStreams } from '../../src/events/server-sent-events.ts';
import { FakeClock } from '../instances/fakes.ts';
import { createWebhookWorld, text, type WebhookWorld } from '../webhooks/webhook-service.ts';

const HOUR = 3_600_000;

/** A reader that takes one text when asked to. */
async function open(world: WebhookWorld, id: string, from: { after?: string; types?: string[] } = {}) {
  const left = new AbortController();
  const texts = await world.webhookService.openStream(id, from, { field: 'after', signal: left.signal });
  const reader = texts[Symbol.asyncIterator]();
  const take = async () => (await reader.next()).value as string | undefined;
  expect(await take()).toBe('retry: 2000\n\n');
  return { take, leave: () => left.abort() };
}

const wordsOf = (block = '') => /"conversation":"([^"]+)"/.exec(block)?.[1];
const idOf = (block = '') => /^id: (\S+)$/m.exec(block)?.[1] ?? '';

describe('a stream', () => {
  it('a stream sends stored events, then new ones, in order, with a cursor', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    await world.webhookService.readEvents(id, { limit: 1 });
    await world.report(id, text('a', 'one'), text('b', 'two'));
    const stream = await open(world, id);
    expect(wordsOf(await stream.take())).toBe('one');
    const two = await stream.take();
    expect(two).toMatch(
      /^id: \S+\nevent: messages\.upsert\ndata: \{"id":"evt_[0-9a-f]{32}","seq":\d+,"event":.*\}\n\n$/,
    );
    const next = stream.take();
    await world.report(id, text('a', 'three'));
    expect(wordsOf(await next)).toBe('three');
    const again = await open(world, id, { after: idOf(two) });
    expect(wordsOf(await again.take())).toBe('three');
  });

  it('an idle stream sends a heartbeat every 15 s, whose id keeps the cursor valid beyond the retention', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const stream = await open(world, id);
    let place = '';
    for (let beat = 0; beat < 3; beat++) {
      const quiet = stream.take();
      await world.pass(15_000);
      const block = await quiet;
      expect(block).toMatch(/^: nothing new\nid: \S+\n\n$/);
      place = idOf(block);
    }
    const late = stream.take();
    await world.pass(80 * HOUR);
    await late;
    await expect(open(world, id, { after: place })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
    const latest = stream.take();
    await world.pass(15_000);
    place = idOf(await latest);
    await world.report(id, text('a', 'after the quiet'));
    expect(wordsOf(await (await open(world, id, { after: place })).take())).toBe('after the quiet');
  });

  it('a stream reads no further than its client', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    await world.webhookService.readEvents(id, { limit: 1 });
    let reads = 0;
    const { read } = world.storage.events;
    world.storage.events.read = (...args) => {
      reads += 1;
      return read(...args);
    };
    const stream = await open(world, id);
    for (let n = 0; n < 300; n++) await world.report(id, text(`${n % 9}`, `number ${n}`));
    expect(wordsOf(await stream.take())).toBe('number 0');
    const before = reads;
    await world.pass(60_000);
    for (let n = 1; n < 50; n++) expect(wordsOf(await stream.take())).toBe(`number ${n}`);
    expect(reads).toBe(before);
    for (let n = 50; n < 300; n++) expect(wordsOf(await stream.take())).toBe(`number ${n}`);
  });

  it('a stream ends with its client, its instance or the service, and frees its slot', async () => {
    const world = await createWebhookWorld();
    const [shop, other] = [await world.create('shop'), await world.create('other')];
    const streams = [];
    for (let n = 0; n < 16; n++) streams.push(await open(world, shop));
    await expect(open(world, shop)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 15 });
    const [first, second] = streams;
    const ends = first?.take();
    first?.leave();
    expect(await ends).toBeUndefined();
    await open(world, shop);
    const kept = await open(world, other);
    const all = second?.take();
    world.webhookService.forget(shop);
    expect(await all).toBeUndefined();
    const last = kept.take();
    world.webhookService.closeStreams();
    expect(await last).toBeUndefined();
    await expect(open(world, other)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });

  it('a stream whose key lost its access sends no further events of the page', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    await world.webhookService.readEvents(id, { limit: 1 });
    await world.report(id, text('a', 'one'), text('a', 'two'), text('a', 'three'));
    const stream = await open(world, id);
    expect(wordsOf(await stream.take())).toBe('one');
    stream.leave();
    expect(await stream.take()).toBeUndefined();
  });

  it('a stream that is never idle long enough for a heartbeat keeps the events of its instance stored', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const stream = await open(world, id);
    // No webhook subscribes to the events: they are stored only for readers of the last 73 hours. A stream sends no
    // heartbeat before its client has taken the event before.
    for (const word of ['one', 'two', 'three']) {
      const next = stream.take();
      await world.report(id, text('a', word));
      await world.pass(15_000);
      expect(wordsOf(await next)).toBe(word);
      await world.pass(60 * HOUR);
    }
  });

  it('a stream whose key lost its access sends no further notices', async () => {
    const page = async () => ({ events: [], position: { seq: 1, at: 0 }, isEndOfLog: true });
    const start = async () => ({ seq: 1, at: 0 });
    const log: EventLogReader = { start, page, read: async () => ({ events: [], next: '' }) };
    const streams = new EventStreams({
      eventLog: log,
      clock: new FakeClock(),
      logger: pino({ level: 'silent' }),
    });
    const access = new AbortController();
    const texts = await streams.open('id', {}, { field: 'after', signal: access.signal });
    const reader = texts[Symbol.asyncIterator]();
    await reader.next();
    for (const subject of ['one', 'two']) {
      streams.notify('id', { type: 'replay.progress', subject, json: subject, maskedJson: '', isGlobal: false });
    }
    expect((await reader.next()).value).toContain('one');
    access.abort();
    expect((await reader.next()).done).toBe(true);
  });

  it('drain() resolves after a waiting stream has sent what was stored in the meantime', async () => {
    const stored: { position: LogPosition; type: string; json: string }[] = [];
    const position = { seq: 1, at: 0 };
    const reads = { count: 0 };
    const log: EventLogReader = {
      start: async () => position,
      page: async () => {
        reads.count++;
        return { events: stored.splice(0), position, isEndOfLog: true };
      },
      read: async () => ({ events: [], next: '' }),
    };
    const streams = new EventStreams({
      eventLog: log,
      clock: new FakeClock(),
      logger: pino({ level: 'silent' }),
    });
    const { signal } = new AbortController();
    const texts = await streams.open('id', {}, { field: 'after', signal });
    const reader = texts[Symbol.asyncIterator]();
    await reader.next();
    const next = reader.next();
    await expect.poll(() => reads.count).toBe(1);
    stored.push({ position, type: 'logout.instance', json: '{}' });
    let isDrained = false;
    const drained = streams.drain('id', 60_000).then(() => {
      isDrained = true;
    });
    expect((await next).value).toContain('event: logout.instance');
    expect(isDrained).toBe(false);
    void reader.next();
    await drained;
  });

  it('a stream ends with a log line when the store fails, so that its client reconnects', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const stream = await open(world, id);
    const next = stream.take();
    await world.pass(0);
    world.storage.events.read = () => Promise.reject(new Error('no store'));
    world.webhookService.onStored(id, [], new Map());
    expect(await next).toBeUndefined();
    expect(world.log).toContainEqual(expect.objectContaining({ msg: 'event.stream.failed', instance: id }));
  });
});
