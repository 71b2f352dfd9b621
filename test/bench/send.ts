// Text sends: through HTTP (stored, encrypted at rest) against plain Baileys sendMessage, default and lean, interleaved.
import { Pool } from 'undici';
import { type Child, cpuOf, forkChild } from './child.ts';
import { median, percentile, table } from './figures.ts';
import { KEY, type LinkedGateway, type Provisioned, startLinked } from './linked.ts';
import { drive, type LoadResult, type LoadShape } from './protocol.ts';

const ROUNDS = 3;
const COUNT = 600;

export interface Sender {
  name: string;
  send(load: LoadShape): Promise<LoadResult>;
}

/** Plain Baileys in a process of its own, without anything of ours that changes it. */
export async function plainSender(
  platform: Child,
  number: string,
  lean: boolean,
): Promise<Sender & { stop(): Promise<void> }> {
  const child = await forkChild('./plain.ts');
  const place = await platform.ask<Provisioned>({ do: 'provision', number });
  await child.ask({ do: 'open', url: place.url, rootKey: place.rootKey, creds: place.creds, lean });
  return {
    name: lean ? 'plain lean' : 'plain default',
    send: (load) => child.ask<LoadResult>({ do: 'send', load }),
    stop: () => child.stop(),
  };
}

export function gatewaySender(gateway: LinkedGateway): Sender {
  const pool = new Pool(gateway.url, { connections: 64 });
  const path = `/message/sendText/${gateway.names[0]}`;
  return {
    name: 'gateway',
    async send(load) {
      const cpu = cpuOf(gateway.pid);
      const result = await drive(load, async (target, n) => {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path,
          headers: { apikey: KEY, 'content-type': 'application/json' },
          body: JSON.stringify({ number: target, textMessage: { text: `message ${n}` } }),
        });
        const text = await body.text();
        if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
      });
      return { ...result, cpu: cpuOf(gateway.pid) - cpu };
    },
  };
}

/** Rates by sender, concurrency and number of chats; `ratio` is to plain Baileys with its default options. */
export async function benchSend() {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, ['15560000001']);
  const plain = await plainSender(platform, '15560000002', false);
  const lean = await plainSender(platform, '15560000003', true);
  const senders: Sender[] = [plain, lean, gatewaySender(gateway)];
  const many = Array.from({ length: 64 }, (_, n) => `1556100${String(n + 1001)}`);
  for (const sender of senders) await sender.send({ count: 256, concurrency: 16, targets: many });
  const rows = [];
  for (const targets of [many.slice(0, 1), many]) {
    for (const concurrency of [1, 16, 64]) {
      const runs = new Map<string, LoadResult[]>();
      for (let round = 0; round < ROUNDS; round++) {
        for (const sender of senders) {
          const result = await sender.send({ count: COUNT, concurrency, targets });
          runs.set(sender.name, [...(runs.get(sender.name) ?? []), result]);
        }
      }
      const rate = (name: string) => median((runs.get(name) ?? []).map((run) => (COUNT / run.elapsed) * 1000));
      for (const { name } of senders) {
        const results = runs.get(name) ?? [];
        const latencies = results.flatMap((run) => run.latencies);
        rows.push({
          chats: targets.length,
          concurrency,
          sender: name,
          'sends/s': rate(name),
          ratio: rate(name) / rate(plain.name),
          'p50 ms': percentile(latencies, 0.5),
          'p99 ms': percentile(latencies, 0.99),
          'CPU ms/send': median(results.map((run) => run.cpu / COUNT)),
        });
      }
    }
  }
  table('text sends (ratio to plain Baileys with default options)', rows);
  await Promise.all([gateway.stop(), plain.stop(), lean.stop()]);
  await platform.stop();
  return rows;
}
