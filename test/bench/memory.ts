// Resident memory: of a gateway without instances and after many sends, and per linked instance against plain sockets.
import { forkChild, rssOf, startLibraries } from './child.ts';
import { table } from './figures.ts';
import { atMost, type BenchResult } from './goals.ts';
import { type Provisioned, startLinked } from './linked.ts';
import { gatewaySender } from './send.ts';

const SENDS = 10_000;
/** ms after which a process has released what it does not need. */
const SETTLE = 60_000;

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE));
const numbers = (count: number, from: number) => Array.from({ length: count }, (_, n) => String(from + n));

async function gatewayRss(count: number, from: number): Promise<number> {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, numbers(count, from));
  await settle();
  const rss = rssOf(gateway.pid);
  await gateway.stop();
  await platform.stop();
  return rss;
}

async function plainRss(count: number, from: number): Promise<number> {
  const platform = await forkChild('./platform.ts');
  const child = await forkChild('./plain.ts', ['--expose-gc']);
  for (const number of numbers(count, from)) {
    const place = await platform.ask<Provisioned>({ do: 'provision', number });
    await child.ask({ do: 'open', url: place.url, rootKey: place.rootKey, creds: place.creds, options: {} });
  }
  await settle();
  const rss = rssOf(child.pid);
  await child.stop();
  await platform.stop();
  return rss;
}

/** Resident memory of a process that has only loaded the libraries, MiB. */
async function librariesRss(): Promise<number> {
  const server = await startLibraries();
  await settle();
  const rss = rssOf(server.pid);
  await server.stop();
  return rss;
}

/** Fills the compile cache. A start without it loads Node's TypeScript compiler, which needs 16 MiB (D-184). */
async function fillCompileCache(): Promise<void> {
  const platform = await forkChild('./platform.ts');
  await (await startLinked(platform, ['15560000050'])).stop();
  await platform.stop();
  await (await startLibraries()).stop();
}

/** Resident memory of a gateway with one instance: idle, and a minute after SENDS texts to 64 chats, MiB. */
async function sendGrowth(): Promise<{ idle: number; after: number }> {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, ['15560000051']);
  await settle();
  const idle = rssOf(gateway.pid);
  const sender = gatewaySender(gateway);
  await sender.send({ count: SENDS, concurrency: 16, targets: numbers(64, 15566000001) });
  await settle();
  const after = rssOf(gateway.pid);
  await sender.stop();
  await platform.stop();
  return { idle, after };
}

export async function benchMemory(): Promise<BenchResult> {
  await fillCompileCache();
  const { idle, after } = await sendGrowth();
  const gateway = {
    idle,
    [`after ${SENDS} sends`]: after,
    growth: after - idle,
    'libraries alone': await librariesRss(),
  };
  table('one gateway: resident memory, MiB', [gateway]);
  const rows = [];
  for (const [sender, measure] of [
    ['gateway', gatewayRss],
    ['plain default', plainRss],
  ] as const) {
    const few = await measure(50, 15563000000 + 1001);
    const many = await measure(200, 15564000000 + 1001);
    rows.push({ sender, 'RSS at 50': few, 'RSS at 200': many, 'MiB per additional': (many - few) / 150 });
  }
  table('idle linked instances: resident memory, MiB', rows);
  const goals = [
    atMost('resident memory, idle, MiB', idle, 120),
    atMost(`growth after ${SENDS} sends, MiB`, after - idle, 15),
  ];
  return { rows: [gateway, ...rows], goals };
}
