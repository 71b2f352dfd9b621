// Delivery of webhooks: posts per second from one process to a receiver in another, memory while 100,000 events wait
// for a stopped receiver, shedding, replay, and the event log.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { cpuOf, forkChild } from './processes.ts';
import { printTable } from './statistics.ts';

/** Events for the running receiver. */
const DELIVERED = 20_000;
/** Events above the maximum backlog of the stopped receiver. */
const EXCESS = 20_000;
/** Events of the event log. */
const LOGGED = 5_000;
/** Numbers of events that wait for the stopped receiver. The memory is measured at each. */
const BACKLOGS = [0, 10_000, 100_000];

async function startSink() {
  const state = { posts: 0, first: 0, last: 0 };
  let notify = () => {};
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      state.last = performance.now();
      state.first ||= state.last;
      state.posts += 1;
      response.end('ok');
      notify();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  const waitFor = async (count: number) => {
    while (state.posts < count) await new Promise<void>((resolve) => (notify = resolve));
  };
  return { url, state, waitFor, stop: () => server.close() };
}

export async function benchWebhooks() {
  const child = await forkChild('./webhook-process.ts', ['--expose-gc']);
  const sink = await startSink();
  const deadSink = await startSink();
  deadSink.stop();
  await child.ask({ do: 'queue', url: `${sink.url}warm`, count: 2_000 });
  await sink.waitFor(2_000);
  const memory = [];
  let waiting = 0;
  for (const count of BACKLOGS) {
    await child.ask({ do: 'queue', url: deadSink.url, count: count - waiting });
    waiting = count;
    memory.push({ waiting, ...(await child.ask<{ rss: number; heap: number }>({ do: 'memory' })) });
  }
  printTable('events waiting for a dead endpoint: memory, MiB', memory);
  const excess = await child.ask<{ block: number; waiting: number }>({ do: 'queue', url: deadSink.url, count: EXCESS });
  const memoryAfter = await child.ask<{ heap: number }>({ do: 'memory' });
  const shedding = [{ 'left waiting': excess.waiting, 'longest block ms': excess.block, 'heap MiB': memoryAfter.heap }];
  printTable(`another ${EXCESS} events above a backlog of 100,000`, shedding);
  Object.assign(sink.state, { posts: 0, first: 0 });
  const cpuBefore = cpuOf(child.pid);
  await child.ask({ do: 'queue', url: sink.url, count: DELIVERED });
  await sink.waitFor(DELIVERED);
  const delivery = [
    {
      'posts/s': (DELIVERED / (sink.state.last - sink.state.first)) * 1000,
      'CPU µs/post': ((cpuOf(child.pid) - cpuBefore) / DELIVERED) * 1000,
    },
  ];
  printTable(
    'webhooks: one endpoint, 8 lanes, signed posts of 1 KB, queued at the same time, beside the dead endpoint',
    delivery,
  );
  Object.assign(sink.state, { posts: 0, first: 0 });
  const replayed = await child.ask<{ queued: number; perSecond: number }>({ do: 'replay', url: sink.url });
  await sink.waitFor(replayed.queued);
  const posts = (replayed.queued / (sink.state.last - sink.state.first)) * 1000;
  const replay = [{ ...replayed, 'posts/s': posts }];
  printTable('replay of all of them', replay);
  const log = [await child.ask<Record<string, number>>({ do: 'read', count: LOGGED })];
  printTable('the log of events, one transaction each', log);
  sink.stop();
  await child.stop();
  return { delivery, memory, shedding, replay, log };
}
