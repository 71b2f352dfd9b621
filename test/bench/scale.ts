// 1 to 2,000 linked instances in one process on SQLite: memory, time until all are open, CPU time without messages and
// per message, and the latency of texts. write-scale.ts makes the table and the chart of docs/operate/capacity.md from
// the rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { atMost, type BenchResult } from './goals.ts';
import { KEY, provision } from './linked.ts';
import { type Child, cpuOf, forkChild, rssOf, type ServerProcess, startGateway } from './processes.ts';
import { drive } from './protocol.ts';
import type { ScaleRow } from './scale-page.ts';
import { percentile, printTable } from './statistics.ts';

/**
 * Numbers of instances. With many instances, the work after the start takes longer, and so does the idle measurement.
 */
const SIZES = [
  { count: 1, settle: 12_000, idle: 4_000 },
  { count: 10, settle: 12_000, idle: 4_000 },
  { count: 100, settle: 12_000, idle: 4_000 },
  // Each instance sends a keep-alive every 30 s.
  { count: 1_000, settle: 15_000, idle: 30_000 },
  { count: 2_000, settle: 20_000, idle: 30_000 },
];
const SENDS = 600;
/** Maximum number of instances that send. They are spread evenly over all instances. */
const SENDERS = 500;
const CONCURRENCY = 16;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when `count` instances are open. */
async function waitUntilOpen(gateway: ServerProcess, count: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${gateway.url}/metrics`, { headers: { apikey: KEY } });
    const openCount = /^gateway_instances\{state="open"\} (\d+)$/m.exec(await response.text())?.[1];
    if (openCount === undefined) throw new Error('the metrics do not show how many instances are open');
    if (Number(openCount) >= count) return;
    await pause(100);
  }
}

/**
 * Sends texts. A target is the name of an instance and the number of a contact. The result has the CPU time of the
 * gateway.
 */
async function send(gateway: ServerProcess, targets: string[], count: number) {
  const pool = new Pool(gateway.url, { connections: CONCURRENCY });
  const cpuBefore = cpuOf(gateway.pid);
  const load = await drive({ count, concurrency: CONCURRENCY, targets }, async (target, n) => {
    const [name, number] = target.split(' ');
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/message/sendText/${name}`,
      headers: { apikey: KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ number, textMessage: { text: `message ${n}` } }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
  });
  await pool.close();
  return { ...load, cpu: cpuOf(gateway.pid) - cpuBefore };
}

/** Measures one size. `settle`: ms for the work after the start. `idle`: ms of the measurement without messages. */
async function measure(platform: Child, { count, settle, idle }: (typeof SIZES)[number]): Promise<ScaleRow> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const numbers = Array.from({ length: count }, (_, n) => String(15_562_000_001 + count * 10_000 + n));
  const { names, env } = await provision(platform, numbers, { dataDir });
  const startedAt = performance.now();
  const gateway = await startGateway({
    DATA_DIR: dataDir,
    API_KEY: KEY,
    OVERLOAD_DELAY: '0',
    OVERLOAD_SEND_TIME: '0',
    ...env,
  });
  await waitUntilOpen(gateway, count);
  const openAfter = (performance.now() - startedAt) / 1000;
  await pause(settle);
  const cpuBefore = cpuOf(gateway.pid);
  await pause(idle);
  const idleFigures = { memory: rssOf(gateway.pid), cpu: ((cpuOf(gateway.pid) - cpuBefore) / idle) * 1000 };
  // Sends in one chat run one after the other, so there are at least as many chats as sends in flight.
  const perInstance = Math.ceil(CONCURRENCY / count);
  const step = Math.ceil(count / SENDERS);
  const senders = names.filter((_, index) => index % step === 0);
  const targets = Array.from({ length: perInstance }, (_, n) =>
    senders.map((name, index) => `${name} ${15561001001 + ((index + n) % 64)}`),
  ).flat();
  // Warm-up: a first message to a contact costs more and is not part of the measurement.
  await send(gateway, targets, targets.length);
  const { cpu: cpuUsed, latencies } = await send(gateway, targets, SENDS);
  const row = {
    instances: count,
    'open s': openAfter,
    'memory MiB': idleFigures.memory,
    'idle CPU ms/s': idleFigures.cpu,
    'CPU ms/text': cpuUsed / SENDS,
    'p50 ms': percentile(latencies, 0.5),
    'p99 ms': percentile(latencies, 0.99),
    'memory after texts MiB': rssOf(gateway.pid),
  };
  await gateway.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return row;
}

export async function benchScale(): Promise<BenchResult> {
  const rows: ScaleRow[] = [];
  const platform = await forkChild('./platform.ts');
  for (const size of SIZES) {
    const row = await measure(platform, size);
    printTable(`${row.instances} in one process`, [row]);
    rows.push(row);
  }
  await platform.stop();
  const largest = rows.at(-1);
  if (!largest) throw new Error('nothing was measured');
  const name = `${largest.instances.toLocaleString('en')} instances`;
  const goals = [
    atMost(`${name}: open, s`, largest['open s'], 20),
    atMost(`${name}: resident memory, MiB`, largest['memory MiB'], 600),
  ];
  return { rows, goals };
}
