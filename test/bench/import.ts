// Imports many sessions, and one session with many contacts, from an installation of Evolution API with PostgreSQL and
// Redis. Measures the duration and the peak memory of the import program and of the gateway. Needs Redis on port 6379.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type Installation2, installEvolution2 } from '../support/evolution-installation.ts';
import { writeEvolution2 } from '../support/evolution-layouts.ts';
import type { OldState } from '../support/old-clients.ts';
import { createOldState } from '../support/old-states.ts';
import { startPostgres } from '../support/postgres.ts';
import { findMissing, REDIS_URL } from '../support/services.ts';
import { KEY } from './linked.ts';
import { CHECKOUT, startGateway } from './processes.ts';
import { printTable } from './statistics.ts';

const SESSIONS = 200;
const CONTACTS = 5000;
const GROUPS = 200;
const FIRST_NUMBER = 15_560_200_001;

/** The state of another account, with the same keys. */
function stateOf(sandbox: Sandbox, number: string, keys: OldState['keys']): OldState {
  const ids = [...keys.keys()].flatMap((key) => /^pre-key-(\d+)$/.exec(key)?.[1] ?? []).map(Number);
  const nextPreKeyId = Math.max(...ids) + 1;
  const creds = { ...sandbox.provision(number), nextPreKeyId, firstUnuploadedPreKeyId: nextPreKeyId };
  return { creds, keys };
}

/** Returns the keys with additional Signal sessions for CONTACTS contacts and sender keys for GROUPS groups. */
function enlarge(keys: OldState['keys']): OldState['keys'] {
  const enlarged = new Map(keys);
  const find = (type: string) => [...keys].find(([key]) => key.startsWith(`${type}-`))?.[1];
  for (let n = 0; n < CONTACTS; n++) enlarged.set(`session-1999${1_000_000 + n}.0`, find('session'));
  for (let n = 0; n < GROUPS; n++)
    enlarged.set(`sender-key-12036300${1_000_000 + n}@g.us::19991000000::0`, find('sender-key'));
  return enlarged;
}

async function writeSession(installation: Installation2, name: string, number: string, state: OldState): Promise<void> {
  const instance = {
    id: randomUUID(),
    name,
    number,
    token: `key-of-${name}-0123456789`,
    integration: 'WHATSAPP-BAILEYS',
  };
  const row = { ...instance, connectionStatus: 'close' as const };
  await writeEvolution2(installation, 'creds in SQL, keys in Redis', row, state);
}

/** Runs the import program. Resolves with its output, its duration in s and its peak memory in MiB. */
async function importAll({ url, prefix, folder }: Installation2, gateway: string) {
  const reportPeak = `process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS));`;
  const startedAt = performance.now();
  const stores = ['--redis', REDIS_URL, '--redis-prefix', prefix, '--path', folder];
  const args = ['packages/import/src/cli.ts', '--from', 'evolution', ...stores, '--to', gateway];
  const env = { PATH: process.env.PATH, GATEWAY_KEY: KEY, SOURCE_DATABASE: url };
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(reportPeak)}`, ...args],
    {
      cwd: CHECKOUT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const seconds = (performance.now() - startedAt) / 1000;
  if (child.exitCode !== 0) throw new Error(`the import ended with ${child.exitCode}:\n${output}\n${errors}`);
  return { output, seconds, peak: Number(/^peak (\d+)$/m.exec(errors)?.[1]) / 1024 };
}

/** The highest resident memory of a process so far, MiB. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Connects the instance. Resolves with the ms until it is open. */
async function measureOpening(gateway: string, name: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${gateway}/instance/connect/${name}`, { headers: { apikey: KEY } });
  const body = await response.text();
  if (!body.includes('"open"')) throw new Error(`${name} is not open: ${response.status} ${body.slice(0, 300)}`);
  return performance.now() - startedAt;
}

/** Measures the durations and the peaks. Does nothing without Redis. */
export async function benchImport() {
  const missing = await findMissing(['Redis']);
  if (missing) return console.log(`\nimport is not measured: ${missing}`);
  const sandbox = await createSandbox({ tlsPort: false });
  const postgres = await startPostgres();
  const firstNumber = String(FIRST_NUMBER);
  const firstState = await createOldState(sandbox, 'baileys 7.0.0-rc14', firstNumber);
  // Keys of the account's own devices are not valid for other accounts.
  const { lid } = sandbox.world.account(firstNumber);
  const keys = new Map([...firstState.keys].filter(([key]) => !key.includes(lid) && !key.includes(firstNumber)));
  const cases = [
    { what: 'sessions', count: SESSIONS, keys },
    { what: `session of ${CONTACTS} contacts`, count: 1, keys: enlarge(keys) },
  ];
  const rows = [];
  let number = FIRST_NUMBER;
  for (const { what, count, keys: sessionKeys } of cases) {
    const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
    const installation = await installEvolution2('PostgreSQL', postgres);
    for (let n = 1; n <= count; n++) {
      number += 1;
      await writeSession(installation, `n${n}`, String(number), stateOf(sandbox, String(number), sessionKeys));
    }
    const platform = { PLATFORM_URL: sandbox.platformUrl, PLATFORM_ROOT_KEY: sandbox.rootKey.toString('base64') };
    const gateway = await startGateway({ ...platform, API_KEY: KEY, DATA_DIR: dataDir });
    const idlePeak = peakOf(gateway.pid);
    const { seconds, peak } = await importAll(installation, gateway.url);
    const gatewayPeak = peakOf(gateway.pid);
    rows.push({
      what: `${count} ${what}`,
      'keys each': sessionKeys.size,
      s: seconds,
      'program, peak MiB': peak,
      'gateway before, peak MiB': idlePeak,
      'gateway, peak MiB': gatewayPeak,
      'open after ms': await measureOpening(gateway.url, 'n1'),
    });
    await gateway.stop();
    await installation.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
  printTable('import from Evolution API, PostgreSQL and Redis', rows);
  await postgres.stop();
  await sandbox.close();
  return rows;
}
