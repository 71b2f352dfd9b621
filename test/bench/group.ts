// Texts to groups: through HTTP against plain Baileys, both members of the same group, interleaved. Signing is most of such a send.
import { forkChild } from './child.ts';
import { median, percentile, table } from './figures.ts';
import { startLinked } from './linked.ts';
import type { LoadResult } from './protocol.ts';
import { gatewaySender, plainSender, type Sender } from './send.ts';

const ROUNDS = 3;
const COUNT = 60;
const SIZES = [5, 50, 250];

/** Rates by size of the group and concurrency; `ratio` is to plain Baileys with its default options. */
export async function benchGroup() {
  const platform = await forkChild('./platform.ts');
  const ours = '15560000011';
  const gateway = await startLinked(platform, [ours]);
  const plain = await plainSender(platform, '15560000012', false);
  const senders: Sender[] = [plain, gatewaySender(gateway)];
  const rows = [];
  for (const size of SIZES) {
    const phones = Array.from({ length: size - 2 }, (_, n) => `1557${size}${String(n + 1001)}`);
    const group = await platform.ask<string>({ do: 'group', members: [ours, '15560000012', ...phones] });
    // The first message brings every member the sender's key; that is not what is measured.
    for (const sender of senders) await sender.send({ count: 10, concurrency: 1, targets: [group] });
    for (const concurrency of [1, 16]) {
      const runs = new Map<Sender, LoadResult[]>(senders.map((sender) => [sender, []]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const [sender, results] of runs)
          results.push(await sender.send({ count: COUNT, concurrency, targets: [group] }));
      }
      const rate = (sender: Sender) => median((runs.get(sender) ?? []).map((run) => (COUNT / run.elapsed) * 1000));
      for (const [sender, results] of runs) {
        const latencies = results.flatMap((run) => run.latencies);
        rows.push({
          members: size,
          concurrency,
          sender: sender.name,
          'sends/s': rate(sender),
          ratio: rate(sender) / rate(plain),
          'p50 ms': percentile(latencies, 0.5),
          'p99 ms': percentile(latencies, 0.99),
          'CPU ms/send': median(results.map((run) => run.cpu / COUNT)),
        });
      }
    }
  }
  table('texts to a group (ratio to plain Baileys with default options)', rows);
  await Promise.all([gateway.stop(), plain.stop()]);
  await platform.stop();
  return rows;
}
