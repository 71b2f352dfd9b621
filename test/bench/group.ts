// Texts to groups: through HTTP against plain Baileys, both members of the same group, interleaved. Signing is most of a plain send.
// Members answer as on the platform: up to 32 of them acknowledge each message, and either side handles those receipts.
import { type Child, cpuOf, forkChild } from './child.ts';
import { median, percentile, table } from './figures.ts';
import { startLinked } from './linked.ts';
import type { LoadResult, LoadShape } from './protocol.ts';
import { gatewaySender, plainSender, type Sender } from './send.ts';

const ROUNDS = 3;
/** Sends per round: most of a second on a quiet machine. Plain sends take several times as long, and rates do not mind. */
const COUNTS = { plain: 16, gateway: 64 };
/** Sends before anything is measured: the first brings every member the sender's key, the others warm the code up. */
const WARM_UP = { plain: 32, gateway: 192 };
const GROUPS = [
  { members: 8, mode: 'lid' },
  { members: 64, mode: 'lid' },
  { members: 64, mode: 'pn' },
  { members: 250, mode: 'lid' },
] as const;

/** A side of the comparison and how many sends its rounds have. */
interface Side {
  sender: Sender;
  count: number;
  warmUp: number;
  runs: (LoadResult & { platformCpu: number })[];
}

/**
 * Rates by size of the group and concurrency. `ratio` is to the rate of plain Baileys with its default options, `CPU ratio` says how many
 * sends cost the sending process as much as one of plain Baileys: on a machine where platform and load generator share the processors
 * it says more than the rate. `platform ms` is what a send costs the platform meanwhile, which takes part in every rate.
 */
export async function benchGroup() {
  const platform = await forkChild('./platform.ts');
  const [ours, theirs] = ['15560000011', '15560000012'];
  const gateway = await startLinked(platform, [ours]);
  const plain = await plainSender(platform, theirs, false);
  const rows = [];
  for (const { members, mode } of GROUPS) {
    const group = await createGroup(platform, [ours, theirs], members, mode);
    const sides = [side(plain, 'plain'), side(gatewaySender(gateway), 'gateway')];
    for (const { sender, warmUp } of sides) await sender.send(load(group, warmUp, 4));
    for (const concurrency of [1, 16]) {
      await alternate(platform, sides, (count) => load(group, count, concurrency));
      rows.push(...figures(sides).map((figure) => ({ members, mode, concurrency, ...figure })));
    }
  }
  table('texts to a group (ratios to plain Baileys with default options)', rows);
  await Promise.all([gateway.stop(), plain.stop()]);
  await platform.stop();
  return rows;
}

const side = (sender: Sender, kind: 'plain' | 'gateway'): Side => ({
  sender,
  count: COUNTS[kind],
  warmUp: WARM_UP[kind],
  runs: [],
});

const load = (group: string, count: number, concurrency: number): LoadShape => ({
  count,
  concurrency,
  targets: [group],
});

function createGroup(platform: Child, senders: string[], size: number, mode: 'lid' | 'pn'): Promise<string> {
  const phones = Array.from(
    { length: size - senders.length },
    (_, n) => `1557${size}${mode === 'lid' ? 1 : 2}${n + 1001}`,
  );
  return platform.ask<string>({ do: 'group', members: [...senders, ...phones], mode });
}

/** Rounds of all sides in turn, each side first as often as the other. */
async function alternate(platform: Child, sides: Side[], shape: (count: number) => LoadShape): Promise<void> {
  for (const one of sides) one.runs = [];
  for (let round = 0; round < ROUNDS; round++) {
    const turn = round % 2 === 0 ? sides : sides.toReversed();
    for (const one of turn) {
      const before = cpuOf(platform.pid);
      const run = await one.sender.send(shape(one.count));
      one.runs.push({ ...run, platformCpu: cpuOf(platform.pid) - before });
    }
  }
}

function figures(sides: readonly Side[]) {
  const rate = ({ runs, count }: Side) => median(runs.map((run) => (count / run.elapsed) * 1000));
  const cpu = ({ runs, count }: Side) => median(runs.map((run) => run.cpu / count));
  const [yardstick] = sides;
  return sides.map((one) => {
    const latencies = one.runs.flatMap((run) => run.latencies);
    return {
      sender: one.sender.name,
      'sends/s': rate(one),
      ratio: yardstick ? rate(one) / rate(yardstick) : Number.NaN,
      'p50 ms': percentile(latencies, 0.5),
      'p99 ms': percentile(latencies, 0.99),
      'CPU ms/send': cpu(one),
      'CPU ratio': yardstick ? cpu(yardstick) / cpu(one) : Number.NaN,
      'platform ms': median(one.runs.map((run) => run.platformCpu / one.count)),
    };
  });
}
