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

type Checkout = 'before' | 'now';
type Results = Record<Checkout, Result[]>;

/**
 * Starts both checkouts in this order and measures each work with both. `folders`: the folder of each checkout. Resolves
 * with the results by the name of the work.
 */
async function measure(startOrder: readonly Checkout[], folders: Record<Checkout, string>) {
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const gateways = new Map<Checkout, LinkedGateway>();
  for (const checkout of startOrder) {
    const number = `1556000002${gateways.size + 1}`;
    gateways.set(checkout, await startLinked(platform, [number], counter.url, '', {}, folders[checkout]));
  }
  const contacts = Array.from({ length: 64 }, (_, n) => `1556300${n + 1001}`);
  const works: Record<string, Work> = {
    'sends, 1 at a time': sends(1, contacts),
    'sends, 16 at a time': sends(16, contacts),
    'sends, 64 at a time': sends(64, contacts),
    'burst of received messages': burst(platform, counter),
  };
  // Warm-up. Without it, the first figures depend on which checkout V8 optimizes first.
  for (let n = 0; n < WARM_UP; n++) for (const gateway of gateways.values()) await sends(64, contacts)(gateway, n);
  const resultsByWork = new Map<string, Results>();
  for (const [name, work] of Object.entries(works)) {
    const results: Results = { before: [], now: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [checkout, gateway] of round % 2 ? gateways : [...gateways].reverse()) {
        const result = await work(gateway, round);
        // The first round is a warm-up.
        if (round > 0) results[checkout].push(result);
      }
    }
    resultsByWork.set(name, results);
  }
  counter.stop();
  await Promise.all([...gateways.values()].map((gateway) => gateway.stop()));
  await platform.stop();
  return resultsByWork;
}

/** Returns the medians of both checkouts and their ratios. Does nothing without BENCH_BEFORE. */
export async function benchCompare() {
  const otherFolder = process.env.BENCH_BEFORE;
  if (otherFolder === undefined) return undefined;
  const folders = { before: otherFolder, now: CHECKOUT };
  // The gateway that starts first is slower: of two equal checkouts, the second had up to 1.17 times the rate. So each
  // checkout starts first once.
  const first = await measure(['before', 'now'], folders);
  const second = await measure(['now', 'before'], folders);
  const rows = [...first].map(([work, results]) => {
    const medianOf = (checkout: Checkout, figure: keyof Result) =>
      median([...results[checkout], ...(second.get(work)?.[checkout] ?? [])].map((result) => result[figure]));
    return {
      work,
      'before /s': medianOf('before', 'rate'),
      'now /s': medianOf('now', 'rate'),
      rate: medianOf('now', 'rate') / medianOf('before', 'rate'),
      'before CPU ms': medianOf('before', 'cpu'),
      'now CPU ms': medianOf('now', 'cpu'),
      CPU: medianOf('now', 'cpu') / medianOf('before', 'cpu'),
    };
  });
  printTable('this checkout against BENCH_BEFORE (medians; rate and CPU are now ÷ before)', rows);
  return rows;
}
