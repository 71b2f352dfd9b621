// Long lists: the time for which they block the event loop of the gateway. The store has 10,000 instances that are not
// linked. One of them has 1,000 chats and contacts and 100,000 messages.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import { instance as rowOf } from '../support/sample-rows.ts';
import { fillMessages } from './find.ts';
import { atMost, type BenchResult } from './goals.ts';
import { KEY } from './linked.ts';
import { startGateway } from './processes.ts';
import { printTable } from './statistics.ts';

const INSTANCES = 10_000;
const MESSAGES = 100_000;
const ROUNDS = 3;

/** Writes the instances. Resolves with the id of the instance that gets messages. */
async function fill(dataDir: string): Promise<string> {
  const storage = await openStorage({ dataDir, network: 'sandbox' });
  const ids = Array.from({ length: INSTANCES }, () => crypto.randomUUID());
  const rows = ids.map((id, n) => rowOf(id, { name: `bench-${n}`, desired: 'stopped' }));
  await Promise.all(rows.map((row) => storage.instances.create(row)));
  await storage.close();
  return ids[0] ?? '';
}

/** The longest block of the event loop since the last call, ms. */
async function readProbe(pid: number, file: string): Promise<number> {
  const linesOf = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
  const countBefore = linesOf().length;
  process.kill(pid, 'SIGWINCH');
  while (linesOf().length === countBefore) await new Promise((resolve) => setTimeout(resolve, 5));
  return Number(linesOf().at(-1));
}

export async function benchLists(): Promise<BenchResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  fillMessages(dataDir, MESSAGES, await fill(dataDir));
  const probeFile = join(dataDir, 'delays');
  const gateway = await startGateway({
    DATA_DIR: dataDir,
    API_KEY: KEY,
    PLATFORM_URL: 'ws://127.0.0.1:9',
    PLATFORM_ROOT_KEY: Buffer.alloc(32).toString('base64'),
    OVERLOAD_DELAY: '0',
    OVERLOAD_SEND_TIME: '0',
    NODE_OPTIONS: `--import ${new URL('./delay-probe.js', import.meta.url).href}`,
    DELAY_PROBE: probeFile,
  });
  const lists = {
    '10,000 instances': ['GET', '/instance/fetchInstances'],
    '10,000 short records': ['GET', '/instance/fetchInstances?fields=summary'],
    '60 of 10,000 instances': ['GET', '/instance/fetchInstances?page=1&offset=60'],
    '1,000 chats': ['POST', '/chat/findChats/bench-0'],
    '1,000 contacts': ['POST', '/chat/findContacts/bench-0'],
  } as const;
  const rows = [];
  const goals = [];
  for (const [list, [method, path]] of Object.entries(lists)) {
    const blocks: number[] = [];
    let [bytes, ms] = [0, 0];
    // The first round compiles code and serializers.
    for (let round = 0; round <= ROUNDS; round++) {
      await readProbe(gateway.pid, probeFile);
      const startedAt = performance.now();
      const headers = { apikey: KEY, 'content-type': 'application/json' };
      const response = await fetch(gateway.url + path, { method, headers, ...(method === 'POST' && { body: '{}' }) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
      [bytes, ms] = [text.length, performance.now() - startedAt];
      blocks.push(await readProbe(gateway.pid, probeFile));
    }
    const longest = Math.max(...blocks.slice(1));
    rows.push({ list, kB: bytes / 1000, ms, 'first block ms': blocks[0] ?? Number.NaN, 'longest block ms': longest });
    goals.push(atMost(`list of ${list}: longest block of the event loop, ms`, longest, 50));
  }
  printTable('long lists: time of the last request, longest block of the event loop', rows);
  await gateway.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return { rows, goals };
}
