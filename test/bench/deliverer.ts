// Store and dispatcher of the gateway alone in one process, told what to queue (protocol.ts).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createEgress } from '../../src/egress/client.ts';
import { systemClock as clock } from '../../src/lib/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import { createSubscriptions } from '../../src/webhooks/subscriptions.ts';
import { serve } from './protocol.ts';

const BATCH = 200;
const CHATS = 500;

const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(0));
const storage = await openStorage({ dataDir, network: 'sandbox' });
const egress = createEgress({ allow: [], strict: false });
const subscriptions = await createSubscriptions(storage, { clock, check: (url) => egress.check('webhook', url) });
const dispatcher = new Dispatcher({ storage, subscriptions, egress, clock, log: pino({ level: 'silent' }) });
await dispatcher.start();

/** Events so far, by address. */
const queued = new Map<string, number>();

/** Stores `count` events of about 1 KB for the webhook at `url`, and wakes the dispatcher after each batch. */
async function queue(url: string, count: number): Promise<void> {
  const instance = `to ${url}`;
  const { id } = await subscriptions.set(instance, { enabled: true, url });
  const first = queued.get(url) ?? 0;
  queued.set(url, first + count);
  for (let start = first; start < first + count; start += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, first + count - start) }, (_, n) => ({
      id: `evt_${start + n}`,
      type: 'messages.upsert',
      lane: `chat ${(start + n) % CHATS}`,
      body: JSON.stringify({ event: 'messages.upsert', n: start + n, text: 'x'.repeat(900) }),
      webhooks: [id],
    }));
    await storage.messages.record(instance, { messages: [], statuses: [], contacts: [], events });
    dispatcher.wake(instance);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** MiB, after a collection. The heap tells what is held; the resident set also what the queueing left behind. */
function memory(): { rss: number; heap: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 };
}

serve(async (request) => {
  if (request.do === 'queue') return queue(request.url, request.count);
  if (request.do === 'memory') return memory();
  throw new Error(`not for the deliverer: ${request.do}`);
});
