// This checkout against another one (BENCH_BEFORE names its folder, with its packages installed): the same work for both, in turns.
import { type Child, cpuOf, forkChild, HERE } from './child.ts';
import { median, table } from './figures.ts';
import { startCounter } from './inbound.ts';
import { type LinkedGateway, startLinked } from './linked.ts';
import { gatewaySender } from './send.ts';

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
    const { elapsed, cpu } = await gatewaySender(gateway).send({ count: SENDS, concurrency, targets: [...targets] });
    return { rate: (SENDS / elapsed) * 1000, cpu: cpu / SENDS };
  };

/** A burst of messages from 16 phones, until each has reached the webhook. */
function burst(platform: Child, counter: Awaited<ReturnType<typeof startCounter>>): Work {
  const senders = Array.from({ length: 16 }, (_, n) => `1556200${n + 1001}`);
  return async (gateway, round) => {
    const to = gateway.names[0]?.replace('bench-', '') ?? '';
    const known = counter.at.size;
    const cpu = cpuOf(gateway.pid);
    const started = performance.now();
    const sent = Array.from({ length: BURST }, (_, n) =>
      platform.ask({ do: 'inbound', from: senders[n % 16] ?? '', to, text: `${to} ${round} ${n}` }),
    );
    await Promise.all(sent);
    await counter.arrived(known + BURST);
    return {
      rate: (BURST / (performance.now() - started)) * 1000,
      cpu: (cpuOf(gateway.pid) - cpu) / BURST,
    };
  };
}

/** Medians of both, and this checkout's share of the other's. Does nothing without BENCH_BEFORE. */
export async function benchCompare() {
  const other = process.env.BENCH_BEFORE;
  if (other === undefined) return undefined;
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const gateways = {
    before: await startLinked(platform, ['15560000021'], counter.url, '', {}, other),
    now: await startLinked(platform, ['15560000022'], counter.url, '', {}, HERE),
  };
  const many = Array.from({ length: 64 }, (_, n) => `1556300${n + 1001}`);
  const works: Record<string, Work> = {
    'sends, 1 at a time': sends(1, many),
    'sends, 16 at a time': sends(16, many),
    'sends, 64 at a time': sends(64, many),
    'burst of received messages': burst(platform, counter),
  };
  // Without it, the first work measures which checkout V8 has optimized sooner.
  for (const gateway of Object.values(gateways)) for (let n = 0; n < WARM_UP; n++) await sends(64, many)(gateway, n);
  const rows = [];
  for (const [name, work] of Object.entries(works)) {
    const results: Record<keyof typeof gateways, Result[]> = { before: [], now: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      const order = round % 2 ? (['before', 'now'] as const) : (['now', 'before'] as const);
      for (const which of order) {
        const result = await work(gateways[which], round);
        // The first round only warms up.
        if (round > 0) results[which].push(result);
      }
    }
    const of = (which: keyof typeof gateways, figure: keyof Result) =>
      median(results[which].map((result) => result[figure]));
    rows.push({
      work: name,
      'before /s': of('before', 'rate'),
      'now /s': of('now', 'rate'),
      rate: of('now', 'rate') / of('before', 'rate'),
      'before CPU ms': of('before', 'cpu'),
      'now CPU ms': of('now', 'cpu'),
      CPU: of('now', 'cpu') / of('before', 'cpu'),
    });
  }
  table('this checkout against BENCH_BEFORE (medians; rate and CPU are now ÷ before)', rows);
  counter.stop();
  await Promise.all([gateways.before.stop(), gateways.now.stop()]);
  await platform.stop();
  return rows;
}
