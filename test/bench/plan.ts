// What the plan in docs/operate/capacity.md is computed from: what one instance, one send, one message and one sign of life cost a node
// and its PostgreSQL server. deploy/plan.json keeps the figures of one run.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { openStorage } from '../../src/storage/open.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { cpuOf, forkChild, rssOf } from './child.ts';
import { median, table } from './figures.ts';
import { KEY, startLinked } from './linked.ts';
import { gatewaySender } from './send.ts';

const FEW = 20;
const MANY = 100;
const COUNT = 600;
/** ms */
const IDLE = 20_000;
const BEATS = 30;
const LISTS = 20;
const LINKED = 10;

const people = Array.from({ length: 64 }, (_, n) => `1556100${String(n + 1001)}`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU time so far of all processes of the PostgreSQL server at this port, ms. */
function serverCpu({ port }: URL): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      // It ended meanwhile.
      return '';
    }
  };
  const root = all.find((pid) => {
    const command = read(pid, 'cmdline').split('\0');
    return command[0]?.endsWith('/postgres') && command.includes(port);
  });
  if (!root) throw new Error(`no PostgreSQL at ${port}`);
  const family = all.filter((pid) => pid === root || read(pid, 'stat').split(') ')[1]?.split(' ')[1] === root);
  const cpu = (pid: string): number => (read(pid, 'stat') === '' ? 0 : cpuOf(Number(pid)));
  return family.reduce((sum, pid) => sum + cpu(pid), 0);
}

interface Work {
  commits: number;
  rows: number;
  wal: number;
}

interface Place {
  server: PostgresServer;
  url: string;
}

/** What the server did so far. */
async function workOf({ server, url }: Place): Promise<Work> {
  const [row] = await server.execute(
    url,
    `SELECT xact_commit::float8 AS commits, (tup_inserted + tup_updated + tup_deleted)::float8 AS rows,
       (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal FROM pg_stat_database WHERE datname = current_database()`,
  );
  return row as Work;
}

/** What `count` times something cost, per time. */
async function costOf(place: Place, pid: number, count: number, work: () => Promise<unknown>) {
  const look = async () => ({
    ...(await workOf(place)),
    node: cpuOf(pid),
    server: serverCpu(new URL(place.url)),
    bytes: [...(await tablesOf(place)).values()].reduce((sum, { bytes }) => sum + bytes, 0),
  });
  const before = await look();
  await work();
  // The server counts late.
  await pause(2_000);
  const after = await look();
  const per = (name: keyof typeof before) => (after[name] - before[name]) / count;
  return {
    'node CPU ms': per('node'),
    'database CPU ms': per('server'),
    transactions: per('commits'),
    'rows written': per('rows'),
    'WAL bytes': per('wal'),
    'bytes kept': per('bytes'),
  };
}

/** Bytes with indexes, and rows, of every table. */
async function tablesOf({ server, url }: Place): Promise<Map<string, { rows: number; bytes: number }>> {
  const names = (await server.execute(url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)) as {
    name: string;
  }[];
  const found = new Map<string, { rows: number; bytes: number }>();
  for (const { name } of names) {
    const [row] = await server.execute(
      url,
      `SELECT (SELECT count(*) FROM ${name})::float8 AS rows, pg_total_relation_size('${name}')::float8 AS bytes`,
    );
    found.set(name, row as { rows: number; bytes: number });
  }
  return found;
}

/** Work of a node whose linked instances rest, and of one that lists them. */
async function benchInstances(server: PostgresServer) {
  const seen = [];
  for (const [count, from] of [
    [FEW, 15565001001],
    [MANY, 15566001001],
  ] as const) {
    const platform = await forkChild('./platform.ts');
    const place = { server, url: await server.createDatabase() };
    const numbers = Array.from({ length: count }, (_, n) => String(from + n));
    const gateway = await startLinked(platform, numbers, undefined, place.url);
    await pause(8_000);
    const [rss, cpu] = [rssOf(gateway.pid), cpuOf(gateway.pid)];
    await pause(IDLE);
    const idle = (cpuOf(gateway.pid) - cpu) / (IDLE / 1000);
    const listed = await costOf(place, gateway.pid, LISTS * count, async () => {
      for (let n = 0; n < LISTS; n++)
        await (await fetch(`${gateway.url}/instance/fetchInstances`, { headers: { apikey: KEY } })).text();
    });
    seen.push({ rss, idle, listed });
    await gateway.stop();
    await platform.stop();
  }
  const [few, many] = seen;
  if (!few || !many) throw new Error('nothing was measured');
  const each = (many.idle - few.idle) / (MANY - FEW);
  return { idle: { 'MiB at 100': many.rss, 'node CPU ms per s each': each }, listed: many.listed };
}

/** What is in the database of instances that were linked by a scan, each. */
async function benchTables(server: PostgresServer) {
  const platform = await forkChild('./platform.ts');
  const place = { server, url: await server.createDatabase() };
  const gateway = await startLinked(platform, ['15568001001'], undefined, place.url);
  const call = async (method: string, path: string, body?: object) => {
    const headers = { apikey: KEY, 'content-type': 'application/json' };
    const answer = await fetch(gateway.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return (await answer.json()) as { qrcode?: { code: string }; instance?: { state?: string } };
  };
  const link = async (n: number) => {
    const name = `linked-${n}`;
    const { qrcode } = await call('POST', '/instance/create', { instanceName: name, qrcode: true });
    await platform.ask({ do: 'scan', number: String(15568002001 + n), code: qrcode?.code ?? '' });
    while ((await call('GET', `/instance/connectionState/${name}`)).instance?.state !== 'open') await pause(50);
  };
  await link(0);
  await pause(5_000);
  const before = await tablesOf(place);
  for (let n = 1; n <= LINKED; n++) await link(n);
  await pause(5_000);
  const after = await tablesOf(place);
  await gateway.stop();
  await platform.stop();
  const per = [...after].map(([name, { rows, bytes }]) => {
    const was = before.get(name) ?? { rows: 0, bytes: 0 };
    return { table: name, rows: (rows - was.rows) / LINKED, bytes: (bytes - was.bytes) / LINKED };
  });
  return per.filter(({ rows, bytes }) => rows > 0 || bytes > 0);
}

/** Counts posts of messages; `arrived(n)` resolves when n are there. */
async function startCounter() {
  const seen = new Set<string>();
  let wake = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = /"conversation":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1];
      if (text) seen.add(text);
      response.end('ok');
      wake();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    async arrived(count: number) {
      while (seen.size < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    stop: () => server.close(),
  };
}

async function benchMessages(server: PostgresServer) {
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const place = { server, url: await server.createDatabase() };
  const mine = '15567001001';
  const gateway = await startLinked(platform, [mine], counter.url, place.url);
  const sender = gatewaySender(gateway);
  const receive = (n: number) =>
    platform.ask({ do: 'inbound', from: people[n % people.length] ?? '', to: mine, text: `number ${n}` });
  await sender.send({ count: 256, concurrency: 16, targets: people });
  for (let n = 0; n < 64; n++) await receive(n);
  await counter.arrived(64);
  let elapsed = 0;
  const send = await costOf(place, gateway.pid, COUNT, async () => {
    ({ elapsed } = await sender.send({ count: COUNT, concurrency: 16, targets: people }));
  });
  const inbound = await costOf(place, gateway.pid, COUNT, async () => {
    // Never more than some at once, as on a node that keeps up.
    for (let n = 64; n < 64 + COUNT; n += 8) {
      await Promise.all(Array.from({ length: 8 }, (_, m) => receive(n + m)));
      await counter.arrived(n + 8);
    }
  });
  await gateway.stop();
  await platform.stop();
  counter.stop();
  return { send: { ...send, 'sends/s': (COUNT / elapsed) * 1000 }, inbound };
}

/** One sign of life with what is looked up around it, of a node that holds `own` of `all` leases. */
async function benchHeartbeat(server: PostgresServer, own: number, all: number) {
  const place = { server, url: await server.createDatabase() };
  const storage = await openStorage({ dataDir: ':memory:', databaseUrl: place.url, network: 'sandbox' });
  const { leases } = storage;
  if (!leases) throw new Error('no leases');
  const card = { name: 'bench', url: 'http://127.0.0.1', version: '1', capacity: 0 };
  await leases.join(card);
  const row = "'other', 'other', 'http://127.0.0.1', '1', 0, 0, 9000000000000";
  await server.execute(
    place.url,
    `INSERT INTO node (id, name, url, version, capacity, started_at, heartbeat_at) VALUES (${row});
     INSERT INTO lease (instance, owner) SELECT gen_random_uuid()::text, CASE WHEN n > ${own} THEN 'other' END FROM generate_series(1, ${all}) n`,
  );
  await server.execute(place.url, 'ANALYZE');
  await leases.claim({ limit: own, silenceLimit: 15_000 });
  await leases.heartbeat({ isDraining: false });
  const took: number[] = [];
  const cpu = serverCpu(new URL(place.url));
  const used = process.cpuUsage();
  for (let n = 0; n < BEATS; n++) {
    const at = performance.now();
    await leases.heartbeat({ isDraining: false });
    await leases.nodes();
    await leases.countOrphans(15_000);
    took.push(performance.now() - at);
  }
  const { user, system } = process.cpuUsage(used);
  const result = {
    'own leases': own,
    'all leases': all,
    'median ms': median(took),
    'node CPU ms': (user + system) / 1000 / BEATS,
    'database CPU ms': (serverCpu(new URL(place.url)) - cpu) / BEATS,
  };
  await storage.close();
  return result;
}

/** One run; takes about two minutes. */
export async function benchPlan() {
  const server = await startPostgres();
  try {
    const { idle, listed } = await benchInstances(server);
    const tables = await benchTables(server);
    const { send, inbound } = await benchMessages(server);
    const heartbeat = [];
    for (const [own, all] of [
      [1_000, 1_000],
      [10_000, 10_000],
      [10_000, 100_000],
    ] as const)
      heartbeat.push(await benchHeartbeat(server, own, all));
    table('an idle linked instance', [idle]);
    table('its rows after linking in PostgreSQL', tables);
    table('one message, one record, on PostgreSQL', [
      { message: 'sent', ...send },
      { message: 'received, posted', ...inbound, 'sends/s': '' },
      { message: 'a record of the list', ...listed, 'bytes kept': 0, 'sends/s': '' },
    ]);
    table('one round of a node: sign of life, nodes, orphans', heartbeat);
    return { idle, listed, tables, send, inbound, heartbeat };
  } finally {
    await server.stop();
  }
}
