// A process with only the storage and the webhook delivery of the gateway. It receives the requests `queue`, `offer`,
// `replay`, `read` and `memory` (protocol.ts).
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
import { serve } from './protocol.ts';
import { median } from './statistics.ts';

const BATCH = 200;
const CHATS = 500;
const BACKLOG = 100_000;
/** The domain event of all stored rows. No request caused it. */
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

/** Number of stored events, by instance. */
const queued = new Map<string, number>();

/** Stores `count` events of about 1 KB and wakes the waiting readers after each batch. Resolves with µs per event. */
async function storeEvents(instance: string, count: number, batchSize: number, webhooks: string[]): Promise<number> {
  const first = queued.get(instance) ?? 0;
  queued.set(instance, first + count);
  let writeTime = 0;
  for (let start = first; start < first + count; start += batchSize) {
    const events = Array.from({ length: Math.min(batchSize, first + count - start) }, (_, n) => ({
      id: `evt_${start + n}`,
      type: (start + n) % 4 === 0 ? 'messages.update' : 'messages.upsert',
      lane: `chat ${(start + n) % CHATS}`,
      body: JSON.stringify({ event: 'messages.upsert', n: start + n, at: Date.now(), text: 'x'.repeat(900) }),
      webhookIds: webhooks,
    }));
    for (const event of events) webhookService.onPublished(instance, SOURCE, [event]);
    const startedAt = performance.now();
    const recorded = await storage.messages.record(instance, { messages: [], statuses: [], contacts: [], events });
    writeTime += performance.now() - startedAt;
    webhookService.onStored(instance, events, recorded.queued);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (writeTime / count) * 1000;
}

async function queue(url: string, count: number): Promise<{ block: number; waiting: number }> {
  const instance = `to ${url}`;
  const { id } = subscriptions.findMain(instance) ?? (await subscriptions.setMain(instance, { enabled: true, url }));
  const loopDelay = monitorEventLoopDelay({ resolution: 5 });
  loopDelay.enable();
  await storeEvents(instance, count, BATCH, [id]);
  let { waiting } = await storage.outbox.depth(id);
  while (waiting > BACKLOG) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    ({ waiting } = await storage.outbox.depth(id));
  }
  loopDelay.disable();
  return { block: loopDelay.max / 1e6, waiting };
}

/** Stores single events at a steady rate, for the chats in turn. Resolves with the duration in ms. */
async function offer(url: string, count: number, perSecond: number, chats: number): Promise<number> {
  const instance = `to ${url}`;
  const { id } = await subscriptions.setMain(instance, { enabled: true, url });
  const startedAt = performance.now();
  for (let n = 0; n < count; n++) {
    const waitTime = startedAt + (n / perSecond) * 1000 - performance.now();
    if (waitTime > 0) await new Promise((resolve) => setTimeout(resolve, waitTime));
    const body = JSON.stringify({ event: 'messages.upsert', n, at: Date.now(), text: 'x'.repeat(900) });
    const lane = `chat ${n % chats}`;
    const event = { id: `evt_${url}_${n}`, type: 'messages.upsert', lane, body, webhookIds: [id] };
    webhookService.onPublished(instance, SOURCE, [event]);
    const batch = { messages: [], statuses: [], contacts: [], events: [event] };
    const recorded = await storage.messages.record(instance, batch);
    webhookService.onStored(instance, [event], recorded.queued);
  }
  return performance.now() - startedAt;
}

/** Queues all events of the URL again. Resolves with the queued events per second. */
async function replay(url: string): Promise<{ queued: number; perSecond: number }> {
  const startedAt = performance.now();
  const replayed = await webhookService.replay(`to ${url}`, { since: 0 });
  return { queued: replayed.queued, perSecond: (replayed.queued / (performance.now() - startedAt)) * 1000 };
}

/** The event log of an instance without webhooks: cost per event, events per second in pages, and delay of a stream. */
async function read(count: number) {
  await webhookService.readEvents('reader', { limit: 1 });
  const cost = await storeEvents('reader', count, 1, []);
  let after: string | undefined;
  let eventCount = 0;
  const startedAt = performance.now();
  for (let pageSize = 1; pageSize > 0; eventCount += pageSize) {
    const page = await webhookService.readEvents('reader', { limit: 500, ...(after ? { after } : {}) });
    pageSize = page.events.length;
    after = page.next;
  }
  const eventsPerSecond = (eventCount / (performance.now() - startedAt)) * 1000;
  const abort = new AbortController();
  const stream = await webhookService.openStream(
    'reader',
    { after: 'latest' },
    { field: 'after', signal: abort.signal },
  );
  const delays: number[] = [];
  const reading = (async () => {
    for await (const text of stream) {
      const at = /"at":(\d+)/.exec(text)?.[1];
      if (at) delays.push(Date.now() - Number(at));
      if (delays.length === 300) return;
    }
  })();
  for (let n = 0; n < 300; n++) {
    await storeEvents('reader', 1, 1, []);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await reading;
  abort.abort();
  return {
    'µs per event kept': cost,
    'events read/s': eventsPerSecond,
    'stream p50 ms': median(delays),
    'max ms': Math.max(...delays),
  };
}

/**
 * Memory in MiB after a garbage collection. The resident set also contains memory that was freed after the queueing.
 */
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
