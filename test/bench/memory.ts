// Resident memory of idle linked instances: the gateway's process against plain Baileys sockets, at 50 and at 200.
import { forkChild, rssOf } from './child.ts';
import { table } from './figures.ts';
import { type Provisioned, startLinked } from './linked.ts';

const settle = () => new Promise((resolve) => setTimeout(resolve, 5000));
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
    await child.ask({ do: 'open', url: place.url, rootKey: place.rootKey, creds: place.creds, lean: false });
  }
  await settle();
  const rss = rssOf(child.pid);
  await child.stop();
  await platform.stop();
  return rss;
}

/** MiB in all, and MiB per additional instance between 50 and 200. */
export async function benchMemory() {
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
  return rows;
}
