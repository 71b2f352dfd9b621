// Resident memory of instances one minute after they were linked by QR code, and the CPU time per linked instance.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type BenchResult } from './goals.ts';
import { KEY, type Provisioned, waitOpen } from './linked.ts';
import { type Child, cpuOf, forkChild, rssOf, type ServerProcess, startGateway } from './processes.ts';
import { printTable } from './statistics.ts';

/** Number of instances that are linked before the first reading of the memory. They warm up the process. */
const WARM_UP_INSTANCES = 20;
const MEASURED_INSTANCES = 100;
/** Number of instances that are linked at the same time. */
const CONCURRENCY = 4;
/** ms between the last scan and the reading of the memory. */
const SETTLE = 60_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Creates instance `n`, scans its QR code and waits until it is open. */
async function link(platform: Child, gateway: ServerProcess, n: number): Promise<void> {
  const name = `linked-${n}`;
  const response = await fetch(`${gateway.url}/instance/create`, {
    method: 'POST',
    headers: { apikey: KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ instanceName: name, qrcode: true }),
  });
  const { qrcode } = (await response.json()) as { qrcode?: { code: string } };
  await platform.ask({ do: 'scan', number: String(15568002001 + n), code: qrcode?.code ?? '' });
  await waitOpen(gateway.url, name);
}

/** Links the instances from `from` to `to`, without `to`. */
async function linkAll(platform: Child, gateway: ServerProcess, from: number, to: number): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next < to) await link(platform, gateway, next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

export async function benchPairing(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const { url, rootKey } = await platform.ask<Provisioned>({ do: 'provision', number: '15568001001' });
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const gateway = await startGateway({
    DATA_DIR: dataDir,
    API_KEY: KEY,
    OVERLOAD_DELAY: '0',
    OVERLOAD_SEND_TIME: '0',
    PLATFORM_URL: url,
    PLATFORM_ROOT_KEY: rootKey,
  });
  await linkAll(platform, gateway, 0, WARM_UP_INSTANCES);
  await pause(SETTLE);
  const [before, cpuBefore] = [rssOf(gateway.pid), cpuOf(gateway.pid)];
  await linkAll(platform, gateway, WARM_UP_INSTANCES, WARM_UP_INSTANCES + MEASURED_INSTANCES);
  const cpuUsed = cpuOf(gateway.pid) - cpuBefore;
  const peak = rssOf(gateway.pid);
  await pause(SETTLE);
  const after = rssOf(gateway.pid);
  await gateway.stop();
  await platform.stop();
  rmSync(dataDir, { recursive: true, force: true });
  const perInstance = (after - before) / MEASURED_INSTANCES;
  const rows = [
    {
      [`MiB at ${WARM_UP_INSTANCES}`]: before,
      [`MiB at ${WARM_UP_INSTANCES + MEASURED_INSTANCES}, at once`]: peak,
      'a minute after': after,
      'MiB each': perInstance,
      'CPU ms to link one': cpuUsed / MEASURED_INSTANCES,
    },
  ];
  printTable('instances linked by QR code: resident memory', rows);
  return { rows, goals: [atMost('instance linked by QR code, MiB', perInstance, 0.5)] };
}
