// Many nodes on one PostgreSQL: what lease and fence cost a send, what the way over another node costs, and what 2 and 4 processes carry.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Child, cpuOf, forkChild, type ServerProcess, startGateway } from './child.ts';
import { median, percentile, table } from './figures.ts';
import { KEY, provision, startLinked, waitOpen } from './linked.ts';
import { drive, type LoadResult } from './protocol.ts';

const ROUNDS = 5;
const COUNT = 600;
const CONCURRENCY = 16;
/** Instances of each cluster whose throughput is measured. */
const INSTANCES = 8;
const people = Array.from({ length: 64 }, (_, n) => `1556100${String(n + 1001)}`);

/** A way to send: to which address, for which instance, in turn; `pids` are the processes whose CPU counts. */
interface Way {
  name: string;
  ways: readonly { url: string; instance: string }[];
  pids: readonly number[];
}

const pools = new Map<string, Pool>();
function poolOf(url: string): Pool {
  const pool = pools.get(url) ?? new Pool(url, { connections: 64 });
  pools.set(url, pool);
  return pool;
}

async function send({ ways, pids }: Way, count = COUNT): Promise<LoadResult> {
  const cpu = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  const before = cpu();
  const result = await drive({ count, concurrency: CONCURRENCY, targets: people }, async (target, n) => {
    const { url = '', instance = '' } = ways[n % ways.length] ?? {};
    const { statusCode, body } = await poolOf(url).request({
      method: 'POST',
      path: `/message/sendText/${instance}`,
      headers: { apikey: KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ number: target, textMessage: { text: `message ${n}` } }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
  });
  return { ...result, cpu: cpu() - before };
}

/** Takes turns, so that a machine that others use too slows all of them alike. `ratio` is to the first way, in rate. */
async function compare(ways: readonly Way[]): Promise<Record<string, string | number>[]> {
  // Every instance writes to each person once: the first message to a person requests their keys.
  for (const way of ways) await send(way, people.length * new Set(way.ways.map(({ instance }) => instance)).size);
  const runs = new Map<string, LoadResult[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) runs.set(way.name, [...(runs.get(way.name) ?? []), await send(way)]);
  }
  const rates = (name: string) => (runs.get(name) ?? []).map(({ elapsed }) => (COUNT / elapsed) * 1000);
  const base = rates(ways[0]?.name ?? '');
  return ways.map(({ name }) => {
    const own = runs.get(name) ?? [];
    const latencies = own.flatMap((run) => run.latencies);
    return {
      way: name,
      'sends/s': median(rates(name)),
      ratio: median(rates(name).map((rate, round) => rate / (base[round] ?? Number.NaN))),
      'p50 ms': percentile(latencies, 0.5),
      'p99 ms': percentile(latencies, 0.99),
      'CPU ms/send': median(own.map((run) => run.cpu / COUNT)),
    };
  });
}

interface Cluster {
  nodes: readonly ServerProcess[];
  /** Owner of every instance. */
  owners: ReadonlyMap<string, ServerProcess>;
  stop(): Promise<void>;
}

/** `count` nodes that have the same number of instances each. */
async function startCluster(platform: Child, server: PostgresServer, count: number, first: number): Promise<Cluster> {
  const url = await server.createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const encryptionKey = randomBytes(32).toString('base64');
  const numbers = Array.from({ length: INSTANCES }, (_, n) => String(first + n));
  const store = { dataDir, databaseUrl: url, encryptionKey };
  const { names, env } = await provision(platform, numbers, store);
  const nodes: ServerProcess[] = [];
  for (let n = 0; n < count; n++) {
    const own = { DATA_DIR: join(dataDir, `${n}`), NODE_NAME: `node-${n}` };
    const shared = {
      DATABASE_URL: url,
      ENCRYPTION_KEY: encryptionKey,
      API_KEY: KEY,
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
      LEASE_TTL: '3',
      // They end together at the end, and each finds no node to give its instances to.
      LOG_LEVEL: 'error',
    };
    nodes.push(await startGateway({ ...shared, ...env, ...own }));
  }
  const held = `SELECT i.name, n.name AS node FROM instance i JOIN lease l ON l.instance = i.id JOIN node n ON n.id = l.owner`;
  let owners = new Map<string, ServerProcess>();
  const isShared = () =>
    owners.size === names.length &&
    nodes.every((node) => [...owners.values()].filter((owner) => owner === node).length === INSTANCES / count);
  while (!isShared()) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const rows = (await server.execute(url, held)) as { name: string; node: string }[];
    owners = new Map(
      rows.flatMap(({ name, node }) =>
        nodes
          .slice(Number(node.slice(5)))
          .slice(0, 1)
          .map((one) => [name, one]),
      ),
    );
  }
  for (const [name, owner] of owners) await waitOpen(owner.url, name);
  return {
    ...{ nodes, owners },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One process that has its database to itself, and one that could share it. */
async function benchFence(platform: Child, server: PostgresServer) {
  const alone = await startLinked(platform, ['15567000001'], undefined, await server.createDatabase(), {
    CLUSTER: 'false',
  });
  const member = await startLinked(platform, ['15567000002'], undefined, await server.createDatabase());
  const way = (name: string, { url, names, pid }: typeof alone): Way => ({
    name,
    ways: [{ url, instance: names[0] ?? '' }],
    pids: [pid],
  });
  const rows = await compare([way('CLUSTER=false', alone), way('CLUSTER=true', member)]);
  table(`text sends on PostgreSQL, ${CONCURRENCY} at once: what lease and fence cost`, rows);
  await Promise.all([alone.stop(), member.stop()]);
  return rows;
}

async function benchForward(cluster: Cluster) {
  const [[instance, owner] = []] = cluster.owners;
  const other = cluster.nodes.find((node) => node !== owner);
  if (!instance || !owner || !other) throw new Error('two nodes are needed');
  const pids = cluster.nodes.map(({ pid }) => pid);
  const rows = await compare([
    { name: 'asked at its node', ways: [{ url: owner.url, instance }], pids },
    { name: 'asked at another', ways: [{ url: other.url, instance }], pids },
  ]);
  table(`text sends of one instance of two nodes, ${CONCURRENCY} at once: what the way over another node costs`, rows);
  return rows;
}

async function benchGrowth(clusters: readonly Cluster[]) {
  const rows = await compare(
    clusters.flatMap(({ nodes, owners }) => {
      const pids = nodes.map(({ pid }) => pid);
      const direct = Array.from(owners, ([instance, { url }]) => ({ url, instance }));
      // Every instance at every node in turn, as behind a balancer that knows nothing of instances.
      const any = nodes.flatMap(({ url }, n) =>
        direct.map((_, m) => ({ url, instance: direct[(n + m) % direct.length]?.instance ?? '' })),
      );
      const name = `${nodes.length} ${nodes.length === 1 ? 'process' : 'processes'}`;
      if (nodes.length === 1) return [{ name, ways: direct, pids }];
      return [
        { name, ways: direct, pids },
        { name: `${name}, any node asked`, ways: any, pids },
      ];
    }),
  );
  table(`text sends of ${INSTANCES} instances, ${CONCURRENCY} at once, on this machine`, rows);
  return rows;
}

export async function benchCluster() {
  const platform = await forkChild('./platform.ts');
  const server = await startPostgres();
  const fence = await benchFence(platform, server);
  const clusters: Cluster[] = [];
  for (const [count, first] of [
    [1, 15567001001],
    [2, 15567002001],
    [4, 15567003001],
  ] as const)
    clusters.push(await startCluster(platform, server, count, first));
  const two = clusters[1];
  const forward = two && (await benchForward(two));
  const growth = await benchGrowth(clusters);
  await Promise.all(clusters.map((cluster) => cluster.stop()));
  for (const pool of pools.values()) await pool.close();
  await platform.stop();
  await server.stop();
  return { fence, forward, growth };
}
