// The time from spawn to the first response, with the files of the program in the page cache of the kernel (warm) and
// without (cold).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type BenchResult } from './goals.ts';
import { KEY, type Provisioned } from './linked.ts';
import { forkChild, type ServerProcess, startGateway, startLibraries } from './processes.ts';
import { median, printTable } from './statistics.ts';

const ROUNDS = 5;

/** Empties the page cache. Returns false when the process has no permission. */
function dropPageCache(): boolean {
  try {
    execFileSync('sync');
    writeFileSync('/proc/sys/vm/drop_caches', '3');
    return true;
  } catch {
    return false;
  }
}

async function timeGateway(env: Record<string, string>): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const ms = await timeServer(startGateway({ ...env, DATA_DIR: dataDir }));
  rmSync(dataDir, { recursive: true, force: true });
  return ms;
}

/** ms to the first response. */
async function timeServer(starting: Promise<ServerProcess>): Promise<number> {
  const server = await starting;
  await server.stop();
  return server.readyAfter;
}

export async function benchStart(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const provisioned = await platform.ask<Provisioned>({ do: 'provision', number: '15560000009' });
  const env = { API_KEY: KEY, PLATFORM_URL: provisioned.url, PLATFORM_ROOT_KEY: provisioned.rootKey };
  const rows = [];
  const goals = [];
  for (const [cache, limit] of [
    ['warm', 700],
    ['cold', 1000],
  ] as const) {
    const times: number[] = [];
    const libraryTimes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (cache === 'cold' && !dropPageCache()) break;
      times.push(await timeGateway(env));
      if (cache === 'cold') dropPageCache();
      libraryTimes.push(await timeServer(startLibraries()));
    }
    if (times.length === 0) {
      console.log('\nno cold start: this process may not empty the page cache');
      continue;
    }
    rows.push({
      cache,
      runs: times.length,
      'median ms': median(times),
      'max ms': Math.max(...times),
      'libraries alone, median ms': median(libraryTimes),
    });
    goals.push(atMost(`start to the first 200, ${cache}, ms`, median(times), limit));
  }
  printTable('start-up: spawn to first answer', rows);
  await platform.stop();
  return { rows, goals };
}
