// Store and posts of the gateway alone in one process, which gets commands to queue, replay and read (protocol.ts).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import pino from 'pino';
import { createEgress } from '../../src/egress/http-client.ts';
import type { DomainEvent } from '../../src/events/events.ts';
import { systemClock as clock } from '../../src/lib/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import { DEFAULT_DISPATCHER_OPTIONS } from '../../src/webhooks/delivery-limits.ts';
import { createSubscriptions } from '../../src/webhooks/subscriptions.ts';
import { createWebhookService } from '../../src/webhooks/webhook-service.ts';
import { median } from './figures.ts';
import { serve } from './protocol.ts';

const BATCH = 200;
const CHATS = 500;
const BACKLOG = 100_000;
/** What the rows stand for: an event that no request caused. */
const SOURCE: DomainEvent = { type: 'logout.instance' };

const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(0));
const storage = await openStorage({ dataDir, network: 'sandbox' });
const egress = createEgress({ allow: [], strict: false });
const subscriptions = await createSubscriptions(storage, { clock, check: (url) => egress.check('webhook', url) });
const webhookService = await createWebhookService({
  ...{ storage, subscriptions, egress, clock, log: pino({ level: 'silent' }) },
  options: { ...DEFAULT_DISPATCHER_OPTIONS, backlog: BACKLOG, eventLog: 'auto' },
});
await webhookService.start();

/** Events so far, by instance. */
const queued = new Map<string, number>();

/** Stores `count` events of about 1 KB, and wakes the waiting readers after each batch. Returns µs per event. */
async function store(instance: string, count: number, size: number, webhooks: string[]): Promise<number> {
  const first = queued.get(instance) ?? 0;
  queued.set(instance, first + count);
  let spent = 0;
  for (let start = first; start < first + count; start += size) {
    const events = Array.from({ length: Math.min(size, first + count - start) }, (_, n) => ({
      id: `evt_${start + n}`,
      type: (start + n) % 4 === 0 ? 'messages.update' : 'messages.upsert',
      lane: `chat ${(start + n) % CHATS}`,
      body: JSON.stringify({ event: 'messages.upsert', n: start + n, at: Date.now(), text: 'x'.repeat(900) }),
      webhookIds: webhooks,
    }));
    for (const event of events) webhookService.onPublished(instance, SOURCE, [event]);
    const began = performance.now();
    const recorded = await storage.messages.record(instance, { messages: [], statuses: [], contacts: [], events });
    spent += performance.now() - began;
    webhookService.onStored(instance, events, recorded.queued);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (spent / count) * 1000;
}

async function queue(url: string, count: number): Promise<{ block: number; waiting: number }> {
  const instance = `to ${url}`;
  const { id } = subscriptions.findMain(instance) ?? (await subscriptions.setMain(instance, { enabled: true, url }));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await store(instance, count, BATCH, [id]);
  let { waiting } = await storage.outbox.depth(id);
  while (waiting > BACKLOG) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    ({ waiting } = await storage.outbox.depth(id));
  }
  delay.disable();
  return { block: delay.max / 1e6, waiting };
}

/** Stores one event after the other at a steady rate, for one chat after the other. Resolves with ms from the first to the last. */
async function offer(url: string, count: number, perSecond: number, chats: number): Promise<number> {
  const instance = `to ${url}`;
  const { id } = await subscriptions.setMain(instance, { enabled: true, url });
  const began = performance.now();
  for (let n = 0; n < count; n++) {
    const early = began + (n / perSecond) * 1000 - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const body = JSON.stringify({ event: 'messages.upsert', n, at: Date.now(), text: 'x'.repeat(900) });
    const lane = `chat ${n % chats}`;
    const event = { id: `evt_${url}_${n}`, type: 'messages.upsert', lane, body, webhookIds: [id] };
    webhookService.onPublished(instance, SOURCE, [event]);
    const batch = { messages: [], statuses: [], contacts: [], events: [event] };
    const recorded = await storage.messages.record(instance, batch);
    webhookService.onStored(instance, [event], recorded.queued);
  }
  return performance.now() - began;
}

/** Queues everything of the address again. Returns posts per second, from the request to the last row. */
async function replay(url: string): Promise<{ queued: number; perSecond: number }> {
  const began = performance.now();
  const replayed = await webhookService.replay(`to ${url}`, { since: 0 });
  return { queued: replayed.queued, perSecond: (replayed.queued / (performance.now() - began)) * 1000 };
}

/** The log of an instance without webhooks: what an event costs, how fast pages and a stream are read, and how soon a stream has it. */
async function read(count: number) {
  await webhookService.readEvents('reader', { limit: 1 });
  const cost = await store('reader', count, 1, []);
  let after: string | undefined;
  let pages = 0;
  const began = performance.now();
  for (let got = 1; got > 0; pages += got) {
    const page = await webhookService.readEvents('reader', { limit: 500, ...(after ? { after } : {}) });
    got = page.events.length;
    after = page.next;
  }
  const read = (pages / (performance.now() - began)) * 1000;
  const left = new AbortController();
  const stream = await webhookService.openStream(
    'reader',
    { after: 'latest' },
    { field: 'after', signal: left.signal },
  );
  const late: number[] = [];
  const listening = (async () => {
    for await (const text of stream) {
      const at = /"at":(\d+)/.exec(text)?.[1];
      if (at) late.push(Date.now() - Number(at));
      if (late.length === 300) return;
    }
  })();
  for (let n = 0; n < 300; n++) {
    await store('reader', 1, 1, []);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await listening;
  left.abort();
  return {
    'µs per event kept': cost,
    'events read/s': read,
    'stream p50 ms': median(late),
    'max ms': Math.max(...late),
  };
}

/** MiB, after a collection. The heap shows what is held; the resident set also what the queueing left behind. */
function memory(): { rss: number; heap: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 };
}

serve(async (request) => {
  if (request.do === 'queue') return queue(request.url, request.count);
  if (request.do === 'offer') return offer(request.url, request.count, request.perSecond, request.chats);
  if (request.do === 'replay') return replay(request.url);
  if (request.do === 'read') return read(request.count);
  if (request.do === 'memory') return memory();
  throw new Error(`not for the deliverer: ${request.do}`);
});
