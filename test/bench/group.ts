// Texts to groups: compares the gateway over HTTP with plain Baileys that caches the metadata of groups. Both accounts
// are members of the same group. As on the platform, up to 32 members acknowledge each message. Both senders handle
// these receipts.

import { compareSenders } from './compare-senders.ts';
import { atLeast, type BenchResult, type Goal } from './goals.ts';
import { startLinked } from './linked.ts';
import { type Child, forkChild } from './processes.ts';
import { createGatewaySender, createPlainSender } from './send.ts';
import { printTable } from './statistics.ts';

const ROUNDS = 3;
/**
 * Sends per round, which take each sender at least half a second. Plain Baileys takes longer per send, because it signs
 * in JavaScript.
 */
const COUNTS = { plain: 24, gateway: 256 };
/**
 * Sends before the first measurement. The first one distributes the sender key to all members. V8 optimizes the code of
 * the gateway only after several hundred sends: after 192 sends, the rate was half of the rate after 768.
 */
const WARM_UP = { plain: 48, gateway: 768 };
const GROUPS = [
  { members: 10, mode: 'lid' },
  { members: 100, mode: 'lid' },
  { members: 100, mode: 'pn' },
  { members: 1_000, mode: 'lid' },
] as const;

/** Rates by size of the group and concurrency. `ratio` is the rate divided by the rate of plain Baileys. */
export async function benchGroup(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const [gatewayNumber, plainNumber] = ['15560000011', '15560000012'];
  const gateway = createGatewaySender(await startLinked(platform, [gatewayNumber]));
  const plain = await createPlainSender(platform, plainNumber, { areGroupsCached: true });
  const senders = [plain, gateway];
  const countOf = (sender: object, counts: typeof COUNTS) => (sender === plain ? counts.plain : counts.gateway);
  const rows = [];
  const goals: Goal[] = [];
  for (const { members, mode } of GROUPS) {
    const group = await createGroup(platform, [gatewayNumber, plainNumber], members, mode);
    for (const sender of senders) {
      await sender.send({ count: countOf(sender, WARM_UP), concurrency: 4, targets: [group] });
    }
    for (const concurrency of [1, 16]) {
      const figures = await compareSenders(senders, ROUNDS, (sender) => ({
        count: countOf(sender, COUNTS),
        concurrency,
        targets: [group],
      }));
      rows.push(...figures.map((figure) => ({ members, mode, concurrency, ...figure })));
      if (mode === 'lid' && concurrency === 16) {
        goals.push(
          atLeast(`group of ${members}: rate ÷ plain with cached metadata`, figures[1]?.ratio ?? Number.NaN, 5),
        );
      }
    }
  }
  printTable('texts to a group (ratios to plain Baileys with cached metadata)', rows);
  await Promise.all([gateway.stop(), plain.stop()]);
  await platform.stop();
  return { rows, goals };
}

function createGroup(platform: Child, senders: string[], size: number, mode: 'lid' | 'pn'): Promise<string> {
  const phones = Array.from(
    { length: size - senders.length },
    (_, n) => `1557${size}${mode === 'lid' ? 1 : 2}${n + 1001}`,
  );
  return platform.ask<string>({ do: 'group', members: [...senders, ...phones], mode });
}
