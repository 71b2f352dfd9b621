// First messages to contacts. Each of them needs the devices and keys of the recipient, and a new Signal session.

import { compareSenders } from './compare-senders.ts';
import { atLeast, atMost, type BenchResult } from './goals.ts';
import { startLinked } from './linked.ts';
import { forkChild } from './processes.ts';
import { createGatewaySender, createHttpSender, createPlainSender } from './send.ts';
import { printTable } from './statistics.ts';

const ROUNDS = 3;
const COUNT = 200;

/** Measures first messages, 1 and 16 at a time. Every recipient is new to its sender. */
export async function benchFirst(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, ['15560000031']);
  const plain = await createPlainSender(platform, '15560000032');
  const httpSender = await createHttpSender(platform, '15560000033');
  const senders = [plain, createGatewaySender(gateway), httpSender];
  let nextNumber = 15_565_000_000;
  const createContacts = (count: number) => Array.from({ length: count }, () => String(nextNumber++));
  for (const sender of senders) await sender.send({ count: 64, concurrency: 16, targets: createContacts(64) });
  const rows = [];
  const goals = [];
  for (const concurrency of [1, 16]) {
    const figures = await compareSenders(senders, ROUNDS, () => ({
      count: COUNT,
      concurrency,
      targets: createContacts(COUNT),
    }));
    rows.push(...figures.map((figure) => ({ concurrency, ...figure })));
    const gatewayFigures = figures[1];
    goals.push(
      atLeast(`first message, ${concurrency} at a time: rate ÷ plain`, gatewayFigures?.ratio ?? Number.NaN, 1),
      atMost(`first message, ${concurrency} at a time: CPU ÷ plain`, gatewayFigures?.['CPU ratio'] ?? Number.NaN, 1),
    );
  }
  printTable('first messages to new contacts (ratios to plain Baileys with default options)', rows);
  await Promise.all([gateway.stop(), plain.stop(), httpSender.stop()]);
  await platform.stop();
  return { rows, goals };
}
