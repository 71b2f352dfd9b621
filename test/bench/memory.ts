// Resident memory of a gateway with one instance, idle and after many sends, and of many linked instances in comparison
// with plain Baileys sockets.

import { atMost, type BenchResult } from './goals.ts';
import { type Provisioned, startLinked } from './linked.ts';
import { forkChild, rssOf, startLibraries } from './processes.ts';
import { createGatewaySender } from './send.ts';
import { printTable } from './statistics.ts';

const SENDS = 10_000;
/** ms after which a process has released unused memory. */
const SETTLE = 60_000;

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE));
const createNumbers = (count: number, from: number) => Array.from({ length: count }, (_, n) => String(from + n));

async function gatewayRss(count: number, from: number): Promise<number> {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, createNumbers(count, from));
  await settle();
  const rss = rssOf(gateway.pid);
  await gateway.stop();
  await platform.stop();
  return rss;
}

async function plainRss(count: number, from: number): Promise<number> {
  const platform = await forkChild('./platform.ts');
  const child = await forkChild('./plain-baileys.ts', ['--expose-gc']);
  for (const number of createNumbers(count, from)) {
    const provisioned = await platform.ask<Provisioned>({ do: 'provision', number });
    await child.ask({
      do: 'open',
      url: provisioned.url,
      rootKey: provisioned.rootKey,
      creds: provisioned.creds,
      options: {},
    });
  }
  await settle();
  const rss = rssOf(child.pid);
  await child.stop();
  await platform.stop();
  return rss;
}

/** Resident memory of a process that only loads the libraries, MiB. */
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
  const sender = createGatewaySender(gateway);
  await sender.send({ count: SENDS, concurrency: 16, targets: createNumbers(64, 15566000001) });
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
  printTable('one gateway: resident memory, MiB', [gateway]);
  const rows = [];
  for (const [sender, measure] of [
    ['gateway', gatewayRss],
    ['plain default', plainRss],
  ] as const) {
    const rssOfFew = await measure(50, 15563000000 + 1001);
    const rssOfMany = await measure(200, 15564000000 + 1001);
    rows.push({
      sender,
      'RSS at 50': rssOfFew,
      'RSS at 200': rssOfMany,
      'MiB per additional': (rssOfMany - rssOfFew) / 150,
    });
  }
  printTable('idle linked instances: resident memory, MiB', rows);
  const goals = [
    atMost('resident memory, idle, MiB', idle, 120),
    atMost(`growth after ${SENDS} sends, MiB`, after - idle, 15),
  ];
  return { rows: [gateway, ...rows], goals };
}
