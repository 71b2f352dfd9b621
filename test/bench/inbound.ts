// Inbound messages: from the phone's send to the POST at a receiver, as bursts and at 100 messages a second. The yardstick
// is the rate at which plain Baileys emits them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Child, forkChild } from './child.ts';
import { median, percentile, table } from './figures.ts';
import { atLeast, atMost, type BenchResult } from './goals.ts';
import { startLinked } from './linked.ts';
import { plainSender } from './send.ts';

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

/** Messages per second of a burst, until the receiver has the last one. */
async function burst(platform: Child, receiver: Receiver, count: number): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, () => send(platform, receiver)));
  await receiver.received(receiver.sent);
  return (count / (performance.now() - started)) * 1000;
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

export async function benchInbound(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const ours: Receiver = { name: 'gateway', number: '15560000041', sent: 0, received: counter.arrived };
  const gateway = await startLinked(platform, [ours.number], counter.url);
  const plain = await plainSender(platform, '15560000042');
  const theirs: Receiver = { name: 'plain', number: '15560000042', sent: 0, received: plain.received };
  const receivers = [theirs, ours];
  for (const receiver of receivers) await burst(platform, receiver, WARM_UP);
  const rows = [];
  const goals = [];
  for (const count of BURSTS) {
    const rates = new Map<Receiver, number[]>(receivers.map((receiver) => [receiver, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const receiver of round % 2 === 0 ? receivers : receivers.toReversed()) {
        rates.get(receiver)?.push(await burst(platform, receiver, count));
      }
    }
    const rateOf = (receiver: Receiver) => median(rates.get(receiver) ?? []);
    const ratio = rateOf(ours) / rateOf(theirs);
    rows.push({ burst: count, 'plain msg/s': rateOf(theirs), 'gateway msg/s': rateOf(ours), ratio });
    goals.push(atLeast(`inbound burst of ${count}: rate to the webhook ÷ receive rate of plain`, ratio, 0.9));
  }
  table('inbound bursts: phone’s send to webhook POST', rows);
  const due = await sendPaced(platform, ours);
  const took = [...due].map(([text, at]) => (counter.at.get(text) ?? Number.NaN) - at);
  const paced = { 'p50 ms': median(took), 'p99 ms': percentile(took, 0.99), lost: ours.sent - counter.at.size };
  table('inbound at 100 messages a second', [paced]);
  goals.push(atMost('inbound at 100/s: p50, ms', paced['p50 ms'], 5), atMost('inbound: lost', paced.lost, 0));
  counter.stop();
  await Promise.all([gateway.stop(), plain.stop()]);
  await platform.stop();
  return { rows: [...rows, paced], goals };
}
