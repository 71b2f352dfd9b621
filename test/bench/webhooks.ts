// Delivery of webhooks: posts per second from one process to a receiver in another, memory while 100,000 events wait for a receiver that
// does not exist, shedding, replay, and the log of events.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { cpuOf, forkChild } from './child.ts';
import { table } from './figures.ts';

const ALIVE = 20_000;
const OVER = 20_000;
const READ = 5_000;
/** Events waiting for the dead one, one step after the other. */
const DEAD = [0, 10_000, 100_000];

async function startSink() {
  const state = { posts: 0, first: 0, last: 0 };
  let wake = () => {};
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      state.last = performance.now();
      state.first ||= state.last;
      state.posts += 1;
      response.end('ok');
      wake();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  const arrived = async (count: number) => {
    while (state.posts < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { url, state, arrived, stop: () => server.close() };
}

export async function benchWebhooks() {
  const child = await forkChild('./deliverer.ts', ['--expose-gc']);
  const sink = await startSink();
  const nobody = await startSink();
  nobody.stop();
  await child.ask({ do: 'queue', url: `${sink.url}warm`, count: 2_000 });
  await sink.arrived(2_000);
  const memory = [];
  let waiting = 0;
  for (const count of DEAD) {
    await child.ask({ do: 'queue', url: nobody.url, count: count - waiting });
    waiting = count;
    memory.push({ waiting, ...(await child.ask<{ rss: number; heap: number }>({ do: 'memory' })) });
  }
  table('events waiting for a dead endpoint: memory, MiB', memory);
  const over = await child.ask<{ block: number; waiting: number }>({ do: 'queue', url: nobody.url, count: OVER });
  const after = await child.ask<{ heap: number }>({ do: 'memory' });
  const shedding = [{ 'left waiting': over.waiting, 'longest block ms': over.block, 'heap MiB': after.heap }];
  table(`another ${OVER} events above a backlog of 100,000`, shedding);
  Object.assign(sink.state, { posts: 0, first: 0 });
  const cpu = cpuOf(child.pid);
  await child.ask({ do: 'queue', url: sink.url, count: ALIVE });
  await sink.arrived(ALIVE);
  const delivery = [
    {
      'posts/s': (ALIVE / (sink.state.last - sink.state.first)) * 1000,
      'CPU µs/post': ((cpuOf(child.pid) - cpu) / ALIVE) * 1000,
    },
  ];
  table(
    'webhooks: one endpoint, 8 lanes, signed posts of 1 KB, queued at the same time, beside the dead endpoint',
    delivery,
  );
  Object.assign(sink.state, { posts: 0, first: 0 });
  const replayed = await child.ask<{ queued: number; perSecond: number }>({ do: 'replay', url: sink.url });
  await sink.arrived(replayed.queued);
  const posts = (replayed.queued / (sink.state.last - sink.state.first)) * 1000;
  const replay = [{ ...replayed, 'posts/s': posts }];
  table('replay of all of them', replay);
  const log = [await child.ask<Record<string, number>>({ do: 'read', count: READ })];
  table('the log of events, one transaction each', log);
  sink.stop();
  await child.stop();
  return { delivery, memory, shedding, replay, log };
}
