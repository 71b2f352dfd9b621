// Delivery to receivers that fail at random: events are stored at a steady rate, and a fixed share of the posts is answered with an error.
// The same seed fails the same posts. Reports what was delivered by the time the last event was stored, how late, and in which order.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { forkChild } from './child.ts';
import { percentile, table } from './figures.ts';

interface Case {
  /** Events per second. */
  rate: number;
  /** Share of the posts that fail. */
  failing: number;
  seed: number;
}

/** The first is the case of the issue: 600 events in a minute. */
const CASES: Case[] = [
  { rate: 10, failing: 0.2, seed: 1 },
  { rate: 50, failing: 0.2, seed: 2 },
  { rate: 100, failing: 0.2, seed: 3 },
  { rate: 50, failing: 0, seed: 4 },
];
const SECONDS = 60;
const CHATS = 50;
/** How long what is still waiting may take, ms. */
const PATIENCE = 120_000;

/** 0 ≤ n < 1, the same numbers for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A receiver that fails as its case says, and notes of each event it takes how late it came. */
async function startReceiver({ failing, seed }: Case) {
  const random = createRandom(seed);
  /** ms from stored to taken, in order of arrival. */
  const late: number[] = [];
  const newest = new Map<number, number>();
  const state = { posts: 0, disorder: 0 };
  const taken = (text: string) => {
    const { n, at }: { n: number; at: number } = JSON.parse(text);
    late.push(Date.now() - at);
    if (n <= (newest.get(n % CHATS) ?? -1)) state.disorder += 1;
    newest.set(n % CHATS, n);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      state.posts += 1;
      const dice = random();
      if (dice < failing / 3) response.destroy();
      else if (dice < failing) response.writeHead(dice < (failing * 2) / 3 ? 500 : 503).end();
      else {
        taken(Buffer.concat(chunks).toString());
        response.end('ok');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  return { url, late, state, stop: () => server.close() };
}

export async function benchReceivers() {
  const child = await forkChild('./deliverer.ts');
  const rows = await Promise.all(
    CASES.map(async (one) => {
      const receiver = await startReceiver(one);
      const count = one.rate * SECONDS;
      const { url } = receiver;
      const elapsed = await child.ask<number>({ do: 'offer', url, count, perSecond: one.rate, chats: CHATS });
      const inTime = receiver.late.length;
      const until = Date.now() + PATIENCE;
      while (receiver.late.length < count && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 50));
      receiver.stop();
      return {
        'failing %': one.failing * 100,
        'offered/s': (count / elapsed) * 1000,
        'delivered/s': (inTime / elapsed) * 1000,
        'in time %': (inTime / count) * 100,
        'p50 ms': percentile(receiver.late, 0.5),
        'p99 ms': percentile(receiver.late, 0.99),
        'in the end': `${receiver.late.length} of ${count}`,
        posts: receiver.state.posts,
        'order violations': receiver.state.disorder,
      };
    }),
  );
  table(`receivers that fail at random, ${SECONDS} s, ${CHATS} chats, all at once`, rows);
  await child.stop();
  return rows;
}
