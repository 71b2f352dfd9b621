// The figures for the plan in docs/operate/capacity.md: the cost of one instance, one send, one received message and
// one heartbeat for a node and its PostgreSQL server. deploy/plan.json contains the figures of one run.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { openStorage } from '../../src/storage/open.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { KEY, startLinked } from './linked.ts';
import { cpuOf, forkChild, rssOf } from './processes.ts';
import { createGatewaySender } from './send.ts';
import { median, printTable } from './statistics.ts';

/** Numbers of instances of the two measured nodes. */
const FEW_INSTANCES = 20;
const MANY_INSTANCES = 100;
const MESSAGES = 600;
/** Duration of the measurement without messages, ms. */
const IDLE_TIME = 20_000;
const HEARTBEATS = 30;
const LIST_REQUESTS = 20;
const LINKED_INSTANCES = 10;

const contacts = Array.from({ length: 64 }, (_, n) => `1556100${String(n + 1001)}`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU time of all processes of the PostgreSQL server at this port so far, ms. */
function serverCpu({ port }: URL): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const readProc = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      // The process has ended.
      return '';
    }
  };
  const rootPid = pids.find((pid) => {
    const command = readProc(pid, 'cmdline').split('\0');
    return command[0]?.endsWith('/postgres') && command.includes(port);
  });
  if (!rootPid) throw new Error(`no PostgreSQL at ${port}`);
  const serverPids = pids.filter(
    (pid) => pid === rootPid || readProc(pid, 'stat').split(') ')[1]?.split(' ')[1] === rootPid,
  );
  const cpuOrZero = (pid: string): number => (readProc(pid, 'stat') === '' ? 0 : cpuOf(Number(pid)));
  return serverPids.reduce((sum, pid) => sum + cpuOrZero(pid), 0);
}

interface Work {
  commits: number;
  rows: number;
  wal: number;
}

interface DatabaseLocation {
  server: PostgresServer;
  url: string;
}

/** The statistics of the database so far. */
async function workOf({ server, url }: DatabaseLocation): Promise<Work> {
  const [row] = await server.execute(
    url,
    `SELECT xact_commit::float8 AS commits, (tup_inserted + tup_updated + tup_deleted)::float8 AS rows,
       (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal FROM pg_stat_database WHERE datname = current_database()`,
  );
  return row as Work;
}

/** Measures `work`, which contains `count` units. Resolves with the cost per unit. */
async function costOf(location: DatabaseLocation, pid: number, count: number, work: () => Promise<unknown>) {
  const readUsage = async () => ({
    ...(await workOf(location)),
    node: cpuOf(pid),
    server: serverCpu(new URL(location.url)),
    bytes: [...(await tablesOf(location)).values()].reduce((sum, { bytes }) => sum + bytes, 0),
  });
  const before = await readUsage();
  await work();
  // The server updates its statistics with a delay.
  await pause(2_000);
  const after = await readUsage();
  const usagePerUnit = (name: keyof typeof before) => (after[name] - before[name]) / count;
  return {
    'node CPU ms': usagePerUnit('node'),
    'database CPU ms': usagePerUnit('server'),
    transactions: usagePerUnit('commits'),
    'rows written': usagePerUnit('rows'),
    'WAL bytes': usagePerUnit('wal'),
    'bytes kept': usagePerUnit('bytes'),
  };
}

/** Number of rows and bytes with indexes, by table. */
async function tablesOf({ server, url }: DatabaseLocation): Promise<Map<string, { rows: number; bytes: number }>> {
  const names = (await server.execute(url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)) as {
    name: string;
  }[];
  const tables = new Map<string, { rows: number; bytes: number }>();
  for (const { name } of names) {
    const [row] = await server.execute(
      url,
      `SELECT (SELECT count(*) FROM ${name})::float8 AS rows, pg_total_relation_size('${name}')::float8 AS bytes`,
    );
    tables.set(name, row as { rows: number; bytes: number });
  }
  return tables;
}

/** The cost of linked instances without messages, and the cost of a list of instances. */
async function benchInstances(server: PostgresServer) {
  const measurements = [];
  for (const [count, firstNumber] of [
    [FEW_INSTANCES, 15565001001],
    [MANY_INSTANCES, 15566001001],
  ] as const) {
    const platform = await forkChild('./platform.ts');
    const location = { server, url: await server.createDatabase() };
    const numbers = Array.from({ length: count }, (_, n) => String(firstNumber + n));
    const gateway = await startLinked(platform, numbers, undefined, location.url);
    await pause(8_000);
    const [rss, cpu] = [rssOf(gateway.pid), cpuOf(gateway.pid)];
    await pause(IDLE_TIME);
    const idle = (cpuOf(gateway.pid) - cpu) / (IDLE_TIME / 1000);
    const listed = await costOf(location, gateway.pid, LIST_REQUESTS * count, async () => {
      for (let n = 0; n < LIST_REQUESTS; n++)
        await (await fetch(`${gateway.url}/instance/fetchInstances`, { headers: { apikey: KEY } })).text();
    });
    measurements.push({ rss, idle, listed });
    await gateway.stop();
    await platform.stop();
  }
  const [few, many] = measurements;
  if (!few || !many) throw new Error('nothing was measured');
  const cpuPerInstance = (many.idle - few.idle) / (MANY_INSTANCES - FEW_INSTANCES);
  return { idle: { 'MiB at 100': many.rss, 'node CPU ms per s each': cpuPerInstance }, listed: many.listed };
}

/** Rows and bytes in the database per instance that was linked by a scan, by table. */
async function benchTables(server: PostgresServer) {
  const platform = await forkChild('./platform.ts');
  const location = { server, url: await server.createDatabase() };
  const gateway = await startLinked(platform, ['15568001001'], undefined, location.url);
  const call = async (method: string, path: string, body?: object) => {
    const headers = { apikey: KEY, 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return (await response.json()) as { qrcode?: { code: string }; instance?: { state?: string } };
  };
  const link = async (n: number) => {
    const name = `linked-${n}`;
    const { qrcode } = await call('POST', '/instance/create', { instanceName: name, qrcode: true });
    await platform.ask({ do: 'scan', number: String(15568002001 + n), code: qrcode?.code ?? '' });
    while ((await call('GET', `/instance/connectionState/${name}`)).instance?.state !== 'open') await pause(50);
  };
  await link(0);
  await pause(5_000);
  const before = await tablesOf(location);
  for (let n = 1; n <= LINKED_INSTANCES; n++) await link(n);
  await pause(5_000);
  const after = await tablesOf(location);
  await gateway.stop();
  await platform.stop();
  const growth = [...after].map(([name, { rows, bytes }]) => {
    const earlier = before.get(name) ?? { rows: 0, bytes: 0 };
    return {
      table: name,
      rows: (rows - earlier.rows) / LINKED_INSTANCES,
      bytes: (bytes - earlier.bytes) / LINKED_INSTANCES,
    };
  });
  return growth.filter(({ rows, bytes }) => rows > 0 || bytes > 0);
}

/** Starts a server that counts posts of messages. `waitFor(n)` resolves after n messages. */
async function startCounter() {
  const texts = new Set<string>();
  let notify = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = /"conversation":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1];
      if (text) texts.add(text);
      response.end('ok');
      notify();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    async waitFor(count: number) {
      while (texts.size < count) await new Promise<void>((resolve) => (notify = resolve));
    },
    stop: () => server.close(),
  };
}

async function benchMessages(server: PostgresServer) {
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const location = { server, url: await server.createDatabase() };
  const ownNumber = '15567001001';
  const gateway = await startLinked(platform, [ownNumber], counter.url, location.url);
  const sender = createGatewaySender(gateway);
  const receive = (n: number) =>
    platform.ask({ do: 'inbound', from: contacts[n % contacts.length] ?? '', to: ownNumber, text: `number ${n}` });
  await sender.send({ count: 256, concurrency: 16, targets: contacts });
  for (let n = 0; n < 64; n++) await receive(n);
  await counter.waitFor(64);
  let elapsed = 0;
  const send = await costOf(location, gateway.pid, MESSAGES, async () => {
    ({ elapsed } = await sender.send({ count: MESSAGES, concurrency: 16, targets: contacts }));
  });
  const inbound = await costOf(location, gateway.pid, MESSAGES, async () => {
    // At most 8 at once, as on a node without a backlog.
    for (let n = 64; n < 64 + MESSAGES; n += 8) {
      await Promise.all(Array.from({ length: 8 }, (_, m) => receive(n + m)));
      await counter.waitFor(n + 8);
    }
  });
  await gateway.stop();
  await platform.stop();
  counter.stop();
  return { send: { ...send, 'sends/s': (MESSAGES / elapsed) * 1000 }, inbound };
}

/** One heartbeat with the queries beside it, of a node with `ownLeases` of `allLeases` leases. */
async function benchHeartbeat(server: PostgresServer, ownLeases: number, allLeases: number) {
  const location = { server, url: await server.createDatabase() };
  const storage = await openStorage({ dataDir: ':memory:', databaseUrl: location.url, network: 'sandbox' });
  const { leases } = storage;
  if (!leases) throw new Error('no leases');
  const node = { name: 'bench', url: 'http://127.0.0.1', version: '1', capacity: 0 };
  await leases.join(node);
  const row = "'other', 'other', 'http://127.0.0.1', '1', 0, 0, 9000000000000";
  await server.execute(
    location.url,
    `INSERT INTO node (id, name, url, version, capacity, started_at, heartbeat_at) VALUES (${row});
     INSERT INTO lease (instance, owner) SELECT gen_random_uuid()::text, CASE WHEN n > ${ownLeases} THEN 'other' END FROM generate_series(1, ${allLeases}) n`,
  );
  await server.execute(location.url, 'ANALYZE');
  await leases.claim({ limit: ownLeases, silenceLimit: 15_000 });
  await leases.heartbeat({ isDraining: false });
  const durations: number[] = [];
  const serverCpuBefore = serverCpu(new URL(location.url));
  const cpuBefore = process.cpuUsage();
  for (let n = 0; n < HEARTBEATS; n++) {
    const startedAt = performance.now();
    await leases.heartbeat({ isDraining: false });
    await leases.nodes();
    await leases.countOrphans(15_000);
    durations.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const result = {
    'own leases': ownLeases,
    'all leases': allLeases,
    'median ms': median(durations),
    'node CPU ms': (user + system) / 1000 / HEARTBEATS,
    'database CPU ms': (serverCpu(new URL(location.url)) - serverCpuBefore) / HEARTBEATS,
  };
  await storage.close();
  return result;
}

/** Runs all measurements, which takes about two minutes. */
export async function benchPlan() {
  const server = await startPostgres();
  try {
    const { idle, listed } = await benchInstances(server);
    const tables = await benchTables(server);
    const { send, inbound } = await benchMessages(server);
    const heartbeat = [];
    for (const [ownLeases, allLeases] of [
      [1_000, 1_000],
      [10_000, 10_000],
      [10_000, 100_000],
    ] as const)
      heartbeat.push(await benchHeartbeat(server, ownLeases, allLeases));
    printTable('an idle linked instance', [idle]);
    printTable('its rows after linking in PostgreSQL', tables);
    printTable('one message, one record, on PostgreSQL', [
      { message: 'sent', ...send },
      { message: 'received, posted', ...inbound, 'sends/s': '' },
      { message: 'a record of the list', ...listed, 'bytes kept': 0, 'sends/s': '' },
    ]);
    printTable('one round of a node: sign of life, nodes, orphans', heartbeat);
    return { idle, listed, tables, send, inbound, heartbeat };
  } finally {
    await server.stop();
  }
}
