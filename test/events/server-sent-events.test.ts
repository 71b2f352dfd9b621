import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { LogPosition } from '../../src/events/event-cursor.ts';
import type { EventLogReader } from '../../src/events/event-log.ts';
import { EventStreams } from '../../src/events/server-sent-events.ts';
import { FakeClock } from '../support/instance-fakes.ts';
import { createWebhookWorld, text, type WebhookWorld } from '../webhooks/webhook-world.ts';

const HOUR = 3_600_000;

/** Opens a stream. `take()` reads its next text, and `leave()` closes it. */
async function openStream(world: WebhookWorld, id: string, query: { after?: string; types?: string[] } = {}) {
  const controller = new AbortController();
  const texts = await world.webhookService.openStream(id, query, { field: 'after', signal: controller.signal });
  const reader = texts[Symbol.asyncIterator]();
  const take = async () => (await reader.next()).value as string | undefined;
  expect(await take()).toBe('retry: 2000\n\n');
  return { take, leave: () => controller.abort() };
}

const textOf = (block = '') => /"conversation":"([^"]+)"/.exec(block)?.[1];
const idOf = (block = '') => /^id: (\S+)$/m.exec(block)?.[1] ?? '';

describe('event streams', () => {
  it('an event stream sends stored events, then new ones, in order, with a cursor', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    await world.webhookService.readEvents(id, { limit: 1 });
    await world.report(id, text('a', 'one'), text('b', 'two'));
    const stream = await openStream(world, id);
    expect(textOf(await stream.take())).toBe('one');
    const two = await stream.take();
    expect(two).toMatch(
      /^id: \S+\nevent: messages\.upsert\ndata: \{"id":"evt_[0-9a-f]{32}","seq":\d+,"event":.*\}\n\n$/,
    );
    const next = stream.take();
    await world.report(id, text('a', 'three'));
    expect(textOf(await next)).toBe('three');
    const resumed = await openStream(world, id, { after: idOf(two) });
    expect(textOf(await resumed.take())).toBe('three');
  });

  it('an idle event stream sends a heartbeat every 15 s, whose id keeps the cursor valid beyond the retention', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const stream = await openStream(world, id);
    let cursor = '';
    for (let beat = 0; beat < 3; beat++) {
      const heartbeat = stream.take();
      await world.pass(15_000);
      const block = await heartbeat;
      expect(block).toMatch(/^: nothing new\nid: \S+\n\n$/);
      cursor = idOf(block);
    }
    const lateHeartbeat = stream.take();
    await world.pass(80 * HOUR);
    await lateHeartbeat;
    await expect(openStream(world, id, { after: cursor })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
    const latestHeartbeat = stream.take();
    await world.pass(15_000);
    cursor = idOf(await latestHeartbeat);
    await world.report(id, text('a', 'after the quiet'));
    expect(textOf(await (await openStream(world, id, { after: cursor })).take())).toBe('after the quiet');
  });

  it('an event stream reads no further than its client', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    await world.webhookService.readEvents(id, { limit: 1 });
    let reads = 0;
    const { read } = world.storage.events;
    world.storage.events.read = (...args) => {
      reads += 1;
      return read(...args);
    };
    const stream = await openStream(world, id);
    for (let n = 0; n < 300; n++) await world.report(id, text(`${n % 9}`, `number ${n}`));
    expect(textOf(await stream.take())).toBe('number 0');
    const readsBefore = reads;
    await world.pass(60_000);
    for (let n = 1; n < 50; n++) expect(textOf(await stream.take())).toBe(`number ${n}`);
    expect(reads).toBe(readsBefore);
    for (let n = 50; n < 300; n++) expect(textOf(await stream.take())).toBe(`number ${n}`);
  });

  it('an event stream ends with its client, its instance or the service, and frees its slot', async () => {
    const world = await createWebhookWorld();
    const [shop, other] = [await world.create('shop'), await world.create('other')];
    const streams = [];
    for (let n = 0; n < 16; n++) streams.push(await openStream(world, shop));
    await expect(openStream(world, shop)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 15 });
    const [first, second] = streams;
    const afterLeave = first?.take();
    first?.leave();
    expect(await afterLeave).toBeUndefined();
    await openStream(world, shop);
    const otherStream = await openStream(world, other);
    const afterForget = second?.take();
    world.webhookService.forget(shop);
    expect(await afterForget).toBeUndefined();
    const afterClose = otherStream.take();
    world.webhookService.closeStreams();
    expect(await afterClose).toBeUndefined();
    await expect(openStream(world, other)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });

  it('an aborted event stream sends no further events of the page', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    await world.webhookService.readEvents(id, { limit: 1 });
    await world.report(id, text('a', 'one'), text('a', 'two'), text('a', 'three'));
    const stream = await openStream(world, id);
    expect(textOf(await stream.take())).toBe('one');
    stream.leave();
    expect(await stream.take()).toBeUndefined();
  });

  it('an event stream that is never idle long enough for a heartbeat keeps the events of its instance stored', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const stream = await openStream(world, id);
    // No webhook subscribes to the events, so they are stored only for readers of the last 73 hours. A stream sends no
    // heartbeat before its client has taken the previous event.
    for (const word of ['one', 'two', 'three']) {
      const next = stream.take();
      await world.report(id, text('a', word));
      await world.pass(15_000);
      expect(textOf(await next)).toBe(word);
      await world.pass(60 * HOUR);
    }
  });

  it('an aborted event stream sends no further notices', async () => {
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

  it('EventStreams.drain() resolves after a waiting stream has sent the events that were stored meanwhile', async () => {
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

  it('an event stream ends with a log line when the store fails', async () => {
    const world = await createWebhookWorld();
    const id = await world.create('shop');
    const stream = await openStream(world, id);
    const next = stream.take();
    await world.pass(0);
    world.storage.events.read = () => Promise.reject(new Error('no store'));
    world.webhookService.onStored(id, [], new Map());
    expect(await next).toBeUndefined();
    expect(world.log).toContainEqual(expect.objectContaining({ msg: 'event.stream.failed', instance: id }));
  });
});
