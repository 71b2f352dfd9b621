// Delivery to receivers that fail at random. Events are stored at a steady rate, and a fixed share of the posts fails.
// The same seed fails the same posts. Reports the share that was delivered before the last event was stored, the
// delays, and violations of the order.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { forkChild } from './processes.ts';
import { percentile, printTable } from './statistics.ts';

interface Case {
  /** Events per second. */
  rate: number;
  /** Share of the posts that fail. */
  failureShare: number;
  seed: number;
}

/** The first is the case of a reported issue: 600 events in a minute. */
const CASES: Case[] = [
  { rate: 10, failureShare: 0.2, seed: 1 },
  { rate: 50, failureShare: 0.2, seed: 2 },
  { rate: 100, failureShare: 0.2, seed: 3 },
  { rate: 50, failureShare: 0, seed: 4 },
];
const SECONDS = 60;
const CHATS = 50;
/** Maximum ms for the remaining deliveries after the last event was stored. */
const DRAIN_LIMIT = 120_000;

/** Returns a generator of numbers from 0 to below 1, with the same sequence for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Starts a receiver that fails as its case defines. It records the delay of each event that it accepts. */
async function startReceiver({ failureShare, seed }: Case) {
  const random = createRandom(seed);
  /** ms from the storage of an event to its acceptance, in order of arrival. */
  const delays: number[] = [];
  const highest = new Map<number, number>();
  const state = { posts: 0, disorder: 0 };
  const recordEvent = (text: string) => {
    const { n, at }: { n: number; at: number } = JSON.parse(text);
    delays.push(Date.now() - at);
    if (n <= (highest.get(n % CHATS) ?? -1)) state.disorder += 1;
    highest.set(n % CHATS, n);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      state.posts += 1;
      const draw = random();
      if (draw < failureShare / 3) response.destroy();
      else if (draw < failureShare) response.writeHead(draw < (failureShare * 2) / 3 ? 500 : 503).end();
      else {
        recordEvent(Buffer.concat(chunks).toString());
        response.end('ok');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  return { url, delays, state, stop: () => server.close() };
}

export async function benchReceivers() {
  const child = await forkChild('./webhook-process.ts');
  const rows = await Promise.all(
    CASES.map(async (testCase) => {
      const receiver = await startReceiver(testCase);
      const count = testCase.rate * SECONDS;
      const { url } = receiver;
      const elapsed = await child.ask<number>({ do: 'offer', url, count, perSecond: testCase.rate, chats: CHATS });
      const countInTime = receiver.delays.length;
      const until = Date.now() + DRAIN_LIMIT;
      while (receiver.delays.length < count && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 50));
      receiver.stop();
      return {
        'failing %': testCase.failureShare * 100,
        'offered/s': (count / elapsed) * 1000,
        'delivered/s': (countInTime / elapsed) * 1000,
        'in time %': (countInTime / count) * 100,
        'p50 ms': percentile(receiver.delays, 0.5),
        'p99 ms': percentile(receiver.delays, 0.99),
        'in the end': `${receiver.delays.length} of ${count}`,
        posts: receiver.state.posts,
        'order violations': receiver.state.disorder,
      };
    }),
  );
  printTable(`receivers that fail at random, ${SECONDS} s, ${CHATS} chats, all at once`, rows);
  await child.stop();
  return rows;
}
