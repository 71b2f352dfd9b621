// Inbound messages, from the send of the phone to the POST at a receiver, in bursts and at 100 messages a second. The
// reference is the rate at which plain Baileys emits the messages. Plain Baileys that only posts each message shows the
// limit for a gateway that stores nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { atLeast, atMost, type BenchResult } from './goals.ts';
import { startLinked } from './linked.ts';
import { type Child, cpuOf, forkChild } from './processes.ts';
import { createPlainSender, openPlain } from './send.ts';
import { median, percentile, printTable } from './statistics.ts';

const ROUNDS = 3;
const BURSTS = [300, 2_000];
const PACED_COUNT = 500;
/** ms between paced messages. */
const PACE = 10;
const WARM_UP = 64;

/** Starts a server that counts posts by the text of their message. `waitFor(n)` resolves after n texts. */
export async function startCounter() {
  const arrivals = new Map<string, number>();
  let notify = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = /"conversation":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1];
      if (text) arrivals.set(text, performance.now());
      response.end('ok');
      notify();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    arrivals,
    async waitFor(count: number) {
      while (arrivals.size < count) await new Promise<void>((resolve) => (notify = resolve));
    },
    stop: () => server.close(),
  };
}

/** A receiving account with the number of messages that were sent to it. */
interface Receiver {
  name: string;
  number: string;
  pid: number;
  sent: number;
  /** Resolves when the receiver has `count` messages in total. */
  received(count: number): Promise<unknown>;
}

const senders = Array.from({ length: 16 }, (_, n) => `1556200${n + 1001}`);

function send(platform: Child, receiver: Receiver): Promise<unknown> {
  const n = receiver.sent++;
  const from = senders[n % senders.length] ?? '';
  return platform.ask({ do: 'inbound', from, to: receiver.number, text: `message ${n}` });
}

interface Burst {
  /** Messages per second until the receiver has the last message. */
  rate: number;
  /** CPU time of the receiver's process, ms per message. */
  cpu: number;
}

async function burst(platform: Child, receiver: Receiver, count: number): Promise<Burst> {
  const cpuBefore = cpuOf(receiver.pid);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: count }, () => send(platform, receiver)));
  await receiver.received(receiver.sent);
  const rate = (count / (performance.now() - startedAt)) * 1000;
  return { rate, cpu: (cpuOf(receiver.pid) - cpuBefore) / count };
}

/** One row per receiver with the medians of ROUNDS bursts and their ratios to the medians of the first receiver. */
async function compareBursts(platform: Child, receivers: readonly Receiver[], count: number) {
  const bursts = new Map<Receiver, Burst[]>(receivers.map((receiver) => [receiver, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const receiver of round % 2 === 0 ? receivers : receivers.toReversed()) {
      bursts.get(receiver)?.push(await burst(platform, receiver, count));
    }
  }
  const medians = receivers.map((receiver) => {
    const results = bursts.get(receiver) ?? [];
    return {
      name: receiver.name,
      rate: median(results.map(({ rate }) => rate)),
      cpu: median(results.map(({ cpu }) => cpu)),
    };
  });
  const [reference] = medians;
  return medians.map(({ name, rate, cpu }) => ({
    burst: count,
    receiver: name,
    'msg/s': rate,
    'CPU ms/msg': cpu,
    'rate ÷ plain': rate / (reference?.rate ?? Number.NaN),
    'CPU ÷ plain': cpu / (reference?.cpu ?? Number.NaN),
  }));
}

/** Sends PACED_COUNT messages, one every PACE ms. Resolves with the times of the sends as of performance.now(). */
async function sendPaced(platform: Child, receiver: Receiver): Promise<Map<string, number>> {
  const startedAt = performance.now();
  const dueTimes = new Map<string, number>();
  for (let n = 0; n < PACED_COUNT; n++) {
    const dueAt = startedAt + n * PACE;
    if (performance.now() < dueAt) await new Promise((resolve) => setTimeout(resolve, dueAt - performance.now()));
    dueTimes.set(`message ${receiver.sent}`, dueAt);
    void send(platform, receiver);
  }
  await receiver.received(receiver.sent);
  return dueTimes;
}

/** Starts plain Baileys with `isLean`, which posts each message to its own receiver. */
async function startPostingReceiver(platform: Child): Promise<Receiver & { stop(): Promise<void> }> {
  const number = '15560000043';
  const counter = await startCounter();
  const child = await openPlain(platform, number, { isLean: true });
  await child.ask({ do: 'post', url: counter.url });
  return {
    name: 'plain isLean with webhook',
    number,
    pid: child.pid,
    sent: 0,
    received: counter.waitFor,
    async stop() {
      await child.stop();
      counter.stop();
    },
  };
}

export async function benchInbound(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const number = '15560000041';
  const gateway = await startLinked(platform, [number], counter.url);
  const gatewayReceiver: Receiver = { name: 'gateway', number, pid: gateway.pid, sent: 0, received: counter.waitFor };
  const plain = await createPlainSender(platform, '15560000042');
  const plainReceiver: Receiver = {
    name: 'plain',
    number: '15560000042',
    pid: plain.pid,
    sent: 0,
    received: plain.received,
  };
  const postingReceiver = await startPostingReceiver(platform);
  const receivers = [plainReceiver, postingReceiver, gatewayReceiver];
  for (const receiver of receivers) await burst(platform, receiver, WARM_UP);
  const rows = [];
  const goals = [];
  for (const count of BURSTS) {
    const figures = await compareBursts(platform, receivers, count);
    rows.push(...figures);
    const ratio = figures.at(-1)?.['rate ÷ plain'] ?? Number.NaN;
    goals.push(atLeast(`inbound burst of ${count}: rate to the webhook ÷ receive rate of plain`, ratio, 0.9));
  }
  printTable('inbound bursts: phone’s send to webhook POST', rows);
  const dueTimes = await sendPaced(platform, gatewayReceiver);
  const latencies = [...dueTimes].map(([text, dueAt]) => (counter.arrivals.get(text) ?? Number.NaN) - dueAt);
  const paced = {
    'p50 ms': median(latencies),
    'p99 ms': percentile(latencies, 0.99),
    lost: gatewayReceiver.sent - counter.arrivals.size,
  };
  printTable('inbound at 100 messages a second', [paced]);
  goals.push(atMost('inbound at 100/s: p50, ms', paced['p50 ms'], 5), atMost('inbound: lost', paced.lost, 0));
  counter.stop();
  await Promise.all([gateway.stop(), plain.stop(), postingReceiver.stop()]);
  await platform.stop();
  return { rows: [...rows, paced], goals };
}
