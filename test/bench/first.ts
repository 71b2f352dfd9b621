// First messages to contacts: each needs the devices and keys of the recipient, and a new Signal session.
import { forkChild } from './child.ts';
import { table } from './figures.ts';
import { atLeast, atMost, type BenchResult } from './goals.ts';
import { startLinked } from './linked.ts';
import { compareSenders } from './load.ts';
import { gatewaySender, plainSender, servedSender } from './send.ts';

const ROUNDS = 3;
const COUNT = 200;

/** First messages, 1 and 16 at a time. Every recipient is new to its sender. */
export async function benchFirst(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, ['15560000031']);
  const plain = await plainSender(platform, '15560000032');
  const served = await servedSender(platform, '15560000033');
  const senders = [plain, gatewaySender(gateway), served];
  let next = 15_565_000_000;
  const newContacts = (count: number) => Array.from({ length: count }, () => String(next++));
  for (const sender of senders) await sender.send({ count: 64, concurrency: 16, targets: newContacts(64) });
  const rows = [];
  const goals = [];
  for (const concurrency of [1, 16]) {
    const figures = await compareSenders(senders, ROUNDS, () => ({
      count: COUNT,
      concurrency,
      targets: newContacts(COUNT),
    }));
    rows.push(...figures.map((figure) => ({ concurrency, ...figure })));
    const ours = figures[1];
    goals.push(
      atLeast(`first message, ${concurrency} at a time: rate ÷ plain`, ours?.ratio ?? Number.NaN, 1),
      atMost(`first message, ${concurrency} at a time: CPU ÷ plain`, ours?.['CPU ratio'] ?? Number.NaN, 1),
    );
  }
  table('first messages to new contacts (ratios to plain Baileys with default options)', rows);
  await Promise.all([gateway.stop(), plain.stop(), served.stop()]);
  await platform.stop();
  return { rows, goals };
}
