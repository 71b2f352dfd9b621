// Compares this checkout with another one. BENCH_BEFORE names the folder of the other checkout, in which the packages
// are installed. Both checkouts do the same work in turn.

import { startCounter } from './inbound.ts';
import { type LinkedGateway, startLinked } from './linked.ts';
import { CHECKOUT, type Child, cpuOf, forkChild } from './processes.ts';
import { createGatewaySender } from './send.ts';
import { median, printTable } from './statistics.ts';

const ROUNDS = 9;
const SENDS = 1_000;
const BURST = 600;
/** Batches of SENDS before the first measurement. */
const WARM_UP = 6;

interface Result {
  /** Messages per second. */
  rate: number;
  /** ms of the gateway's processor time per message. */
  cpu: number;
}

type Work = (gateway: LinkedGateway, round: number) => Promise<Result>;

const sends =
  (concurrency: number, targets: readonly string[]): Work =>
  async (gateway) => {
    const { elapsed, cpu } = await createGatewaySender(gateway).send({
      count: SENDS,
      concurrency,
      targets: [...targets],
    });
    return { rate: (SENDS / elapsed) * 1000, cpu: cpu / SENDS };
  };

/** A burst of messages from 16 phones. It ends when the webhook has received each of them. */
function burst(platform: Child, counter: Awaited<ReturnType<typeof startCounter>>): Work {
  const senders = Array.from({ length: 16 }, (_, n) => `1556200${n + 1001}`);
  return async (gateway, round) => {
    const to = gateway.names[0]?.replace('bench-', '') ?? '';
    const countBefore = counter.arrivals.size;
    const cpuBefore = cpuOf(gateway.pid);
    const startedAt = performance.now();
    const sending = Array.from({ length: BURST }, (_, n) =>
      platform.ask({ do: 'inbound', from: senders[n % 16] ?? '', to, text: `${to} ${round} ${n}` }),
    );
    await Promise.all(sending);
    await counter.waitFor(countBefore + BURST);
    return {
      rate: (BURST / (performance.now() - startedAt)) * 1000,
      cpu: (cpuOf(gateway.pid) - cpuBefore) / BURST,
    };
  };
}

/** Returns the medians of both checkouts and their ratios. Does nothing without BENCH_BEFORE. */
export async function benchCompare() {
  const otherFolder = process.env.BENCH_BEFORE;
  if (otherFolder === undefined) return undefined;
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const gateways = {
    before: await startLinked(platform, ['15560000021'], counter.url, '', {}, otherFolder),
    now: await startLinked(platform, ['15560000022'], counter.url, '', {}, CHECKOUT),
  };
  const contacts = Array.from({ length: 64 }, (_, n) => `1556300${n + 1001}`);
  const works: Record<string, Work> = {
    'sends, 1 at a time': sends(1, contacts),
    'sends, 16 at a time': sends(16, contacts),
    'sends, 64 at a time': sends(64, contacts),
    'burst of received messages': burst(platform, counter),
  };
  // Warm-up. Without it, the first figures depend on which checkout V8 optimizes first. The gateways take turns here too,
  // because a gateway that is idle for 5 s releases memory and is slower afterwards.
  for (let n = 0; n < WARM_UP; n++)
    for (const gateway of Object.values(gateways)) await sends(64, contacts)(gateway, n);
  const rows = [];
  for (const [name, work] of Object.entries(works)) {
    const results: Record<keyof typeof gateways, Result[]> = { before: [], now: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      const order = round % 2 ? (['before', 'now'] as const) : (['now', 'before'] as const);
      for (const checkout of order) {
        const result = await work(gateways[checkout], round);
        // The first round is a warm-up.
        if (round > 0) results[checkout].push(result);
      }
    }
    const medianOf = (checkout: keyof typeof gateways, figure: keyof Result) =>
      median(results[checkout].map((result) => result[figure]));
    rows.push({
      work: name,
      'before /s': medianOf('before', 'rate'),
      'now /s': medianOf('now', 'rate'),
      rate: medianOf('now', 'rate') / medianOf('before', 'rate'),
      'before CPU ms': medianOf('before', 'cpu'),
      'now CPU ms': medianOf('now', 'cpu'),
      CPU: medianOf('now', 'cpu') / medianOf('before', 'cpu'),
    });
  }
  printTable('this checkout against BENCH_BEFORE (medians; rate and CPU are now ÷ before)', rows);
  counter.stop();
  await Promise.all([gateways.before.stop(), gateways.now.stop()]);
  await platform.stop();
  return rows;
}
