// Inbound messages: from the phone's send to the POST at a receiver, as bursts and at 100 messages a second. The yardstick
// is the rate at which plain Baileys emits them. Plain Baileys that only posts each message shows what remains for a
// gateway that stores nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Child, cpuOf, forkChild } from './child.ts';
import { median, percentile, table } from './figures.ts';
import { atLeast, atMost, type BenchResult } from './goals.ts';
import { startLinked } from './linked.ts';
import { openPlain, plainSender } from './send.ts';

const ROUNDS = 3;
const BURSTS = [300, 2_000];
const PACED = 500;
/** ms between paced messages. */
const PACE = 10;
const WARM_UP = 64;

/** Counts posts by the text of their message; `arrived(n)` resolves when n are there. */
export async function startCounter() {
  const at = new Map<string, number>();
  let wake = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = /"conversation":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1];
      if (text) at.set(text, performance.now());
      response.end('ok');
      wake();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    at,
    async arrived(count: number) {
      while (at.size < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    stop: () => server.close(),
  };
}

/** An account that receives, and how many messages it has been sent. */
interface Receiver {
  name: string;
  number: string;
  pid: number;
  sent: number;
  /** Resolves when the receiver has got `count` messages in all. */
  received(count: number): Promise<unknown>;
}

const senders = Array.from({ length: 16 }, (_, n) => `1556200${n + 1001}`);

function send(platform: Child, receiver: Receiver): Promise<unknown> {
  const n = receiver.sent++;
  const from = senders[n % senders.length] ?? '';
  return platform.ask({ do: 'inbound', from, to: receiver.number, text: `message ${n}` });
}

interface Burst {
  /** Messages per second, until the receiver has the last one. */
  rate: number;
  /** CPU time of the receiver's process, ms per message. */
  cpu: number;
}

async function burst(platform: Child, receiver: Receiver, count: number): Promise<Burst> {
  const cpu = cpuOf(receiver.pid);
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, () => send(platform, receiver)));
  await receiver.received(receiver.sent);
  const rate = (count / (performance.now() - started)) * 1000;
  return { rate, cpu: (cpuOf(receiver.pid) - cpu) / count };
}

/** One row per receiver: the medians of ROUNDS bursts, and their ratios to those of the first receiver. */
async function compareBursts(platform: Child, receivers: readonly Receiver[], count: number) {
  const bursts = new Map<Receiver, Burst[]>(receivers.map((receiver) => [receiver, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const receiver of round % 2 === 0 ? receivers : receivers.toReversed()) {
      bursts.get(receiver)?.push(await burst(platform, receiver, count));
    }
  }
  const medians = receivers.map((receiver) => {
    const all = bursts.get(receiver) ?? [];
    return { name: receiver.name, rate: median(all.map(({ rate }) => rate)), cpu: median(all.map(({ cpu }) => cpu)) };
  });
  const [first] = medians;
  return medians.map(({ name, rate, cpu }) => ({
    burst: count,
    receiver: name,
    'msg/s': rate,
    'CPU ms/msg': cpu,
    'rate ÷ plain': rate / (first?.rate ?? Number.NaN),
    'CPU ÷ plain': cpu / (first?.cpu ?? Number.NaN),
  }));
}

/** Sends PACED messages, one each PACE ms. Returns the times of the sends, epoch of performance.now(). */
async function sendPaced(platform: Child, receiver: Receiver): Promise<Map<string, number>> {
  const begin = performance.now();
  const due = new Map<string, number>();
  for (let n = 0; n < PACED; n++) {
    const at = begin + n * PACE;
    if (performance.now() < at) await new Promise((resolve) => setTimeout(resolve, at - performance.now()));
    due.set(`message ${receiver.sent}`, at);
    void send(platform, receiver);
  }
  await receiver.received(receiver.sent);
  return due;
}

/** Plain Baileys with its switches off, which posts each message to a receiver of its own. */
async function postingReceiver(platform: Child): Promise<Receiver & { stop(): Promise<void> }> {
  const number = '15560000043';
  const counter = await startCounter();
  const child = await openPlain(platform, number, { isLean: true });
  await child.ask({ do: 'post', url: counter.url });
  return {
    name: 'plain isLean with webhook',
    number,
    pid: child.pid,
    sent: 0,
    received: counter.arrived,
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
  const ours: Receiver = { name: 'gateway', number, pid: gateway.pid, sent: 0, received: counter.arrived };
  const plain = await plainSender(platform, '15560000042');
  const theirs: Receiver = {
    name: 'plain',
    number: '15560000042',
    pid: plain.pid,
    sent: 0,
    received: plain.received,
  };
  const posting = await postingReceiver(platform);
  const receivers = [theirs, posting, ours];
  for (const receiver of receivers) await burst(platform, receiver, WARM_UP);
  const rows = [];
  const goals = [];
  for (const count of BURSTS) {
    const figures = await compareBursts(platform, receivers, count);
    rows.push(...figures);
    const ratio = figures.at(-1)?.['rate ÷ plain'] ?? Number.NaN;
    goals.push(atLeast(`inbound burst of ${count}: rate to the webhook ÷ receive rate of plain`, ratio, 0.9));
  }
  table('inbound bursts: phone’s send to webhook POST', rows);
  const due = await sendPaced(platform, ours);
  const took = [...due].map(([text, at]) => (counter.at.get(text) ?? Number.NaN) - at);
  const paced = { 'p50 ms': median(took), 'p99 ms': percentile(took, 0.99), lost: ours.sent - counter.at.size };
  table('inbound at 100 messages a second', [paced]);
  goals.push(atMost('inbound at 100/s: p50, ms', paced['p50 ms'], 5), atMost('inbound: lost', paced.lost, 0));
  counter.stop();
  await Promise.all([gateway.stop(), plain.stop(), posting.stop()]);
  await platform.stop();
  return { rows: [...rows, paced], goals };
}
