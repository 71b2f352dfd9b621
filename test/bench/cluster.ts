// Nodes on one PostgreSQL: the cost of leases and fencing per send, the cost of a request through another node, and the
// throughput of 2 and 4 processes.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { KEY, provision, startLinked, waitOpen } from './linked.ts';
import { type Child, cpuOf, forkChild, type ServerProcess, startGateway } from './processes.ts';
import { drive, type LoadResult } from './protocol.ts';
import { median, percentile, printTable } from './statistics.ts';

const ROUNDS = 5;
const COUNT = 600;
const CONCURRENCY = 16;
/** Instances of each cluster whose throughput is measured. */
const INSTANCES = 8;
const contacts = Array.from({ length: 64 }, (_, n) => `1556100${String(n + 1001)}`);

/** A measured variant of sends. They use the targets in turn. `pids` are the processes whose CPU time is measured. */
interface Variant {
  name: string;
  targets: readonly { url: string; instance: string }[];
  pids: readonly number[];
}

const pools = new Map<string, Pool>();
function poolOf(url: string): Pool {
  const pool = pools.get(url) ?? new Pool(url, { connections: 64 });
  pools.set(url, pool);
  return pool;
}

async function send({ targets, pids }: Variant, count = COUNT): Promise<LoadResult> {
  const readCpu = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  const cpuBefore = readCpu();
  const result = await drive({ count, concurrency: CONCURRENCY, targets: contacts }, async (target, n) => {
    const { url = '', instance = '' } = targets[n % targets.length] ?? {};
    const { statusCode, body } = await poolOf(url).request({
      method: 'POST',
      path: `/message/sendText/${instance}`,
      headers: { apikey: KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ number: target, textMessage: { text: `message ${n}` } }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
  });
  return { ...result, cpu: readCpu() - cpuBefore };
}

/**
 * Runs the variants in turn, so that other load of the machine affects all of them equally. `ratio` is the rate divided
 * by the rate of the first variant.
 */
async function compare(variants: readonly Variant[]): Promise<Record<string, string | number>[]> {
  // Warm-up: every instance sends to each contact once, because the first message to a contact requests its keys.
  for (const variant of variants)
    await send(variant, contacts.length * new Set(variant.targets.map(({ instance }) => instance)).size);
  const runs = new Map<string, LoadResult[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const variant of variants) runs.set(variant.name, [...(runs.get(variant.name) ?? []), await send(variant)]);
  }
  const ratesOf = (name: string) => (runs.get(name) ?? []).map(({ elapsed }) => (COUNT / elapsed) * 1000);
  const baseRates = ratesOf(variants[0]?.name ?? '');
  return variants.map(({ name }) => {
    const results = runs.get(name) ?? [];
    const latencies = results.flatMap((run) => run.latencies);
    return {
      way: name,
      'sends/s': median(ratesOf(name)),
      ratio: median(ratesOf(name).map((rate, round) => rate / (baseRates[round] ?? Number.NaN))),
      'p50 ms': percentile(latencies, 0.5),
      'p99 ms': percentile(latencies, 0.99),
      'CPU ms/send': median(results.map((run) => run.cpu / COUNT)),
    };
  });
}

interface Cluster {
  nodes: readonly ServerProcess[];
  /** Owner of every instance. */
  owners: ReadonlyMap<string, ServerProcess>;
  stop(): Promise<void>;
}

/** Starts `count` nodes. Resolves when each of them has the same number of open instances. */
async function startCluster(
  platform: Child,
  server: PostgresServer,
  count: number,
  firstNumber: number,
): Promise<Cluster> {
  const url = await server.createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const encryptionKey = randomBytes(32).toString('base64');
  const numbers = Array.from({ length: INSTANCES }, (_, n) => String(firstNumber + n));
  const store = { dataDir, databaseUrl: url, encryptionKey };
  const { names, env } = await provision(platform, numbers, store);
  const nodes: ServerProcess[] = [];
  for (let n = 0; n < count; n++) {
    const nodeEnv = { DATA_DIR: join(dataDir, `${n}`), NODE_NAME: `node-${n}` };
    const sharedEnv = {
      DATABASE_URL: url,
      ENCRYPTION_KEY: encryptionKey,
      API_KEY: KEY,
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
      LEASE_TTL: '3',
      // All nodes stop at the same time, so none of them finds a node for its instances and each logs a warning.
      LOG_LEVEL: 'error',
    };
    nodes.push(await startGateway({ ...sharedEnv, ...env, ...nodeEnv }));
  }
  const ownersQuery = `SELECT i.name, n.name AS node FROM instance i JOIN lease l ON l.instance = i.id JOIN node n ON n.id = l.owner`;
  let owners = new Map<string, ServerProcess>();
  const isBalanced = () =>
    owners.size === names.length &&
    nodes.every((node) => [...owners.values()].filter((owner) => owner === node).length === INSTANCES / count);
  while (!isBalanced()) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const rows = (await server.execute(url, ownersQuery)) as { name: string; node: string }[];
    owners = new Map(
      rows.flatMap(({ name, node }) =>
        nodes
          .slice(Number(node.slice(5)))
          .slice(0, 1)
          .map((owner) => [name, owner]),
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

/** Compares a process with an exclusive database (CLUSTER=false) and a process that could share its database. */
async function benchFence(platform: Child, server: PostgresServer) {
  const alone = await startLinked(platform, ['15567000001'], undefined, await server.createDatabase(), {
    CLUSTER: 'false',
  });
  const clustered = await startLinked(platform, ['15567000002'], undefined, await server.createDatabase());
  const toVariant = (name: string, { url, names, pid }: typeof alone): Variant => ({
    name,
    targets: [{ url, instance: names[0] ?? '' }],
    pids: [pid],
  });
  const rows = await compare([toVariant('CLUSTER=false', alone), toVariant('CLUSTER=true', clustered)]);
  printTable(`text sends on PostgreSQL, ${CONCURRENCY} at once: what lease and fence cost`, rows);
  await Promise.all([alone.stop(), clustered.stop()]);
  return rows;
}

async function benchForward(cluster: Cluster) {
  const [[instance, owner] = []] = cluster.owners;
  const other = cluster.nodes.find((node) => node !== owner);
  if (!instance || !owner || !other) throw new Error('two nodes are needed');
  const pids = cluster.nodes.map(({ pid }) => pid);
  const rows = await compare([
    { name: 'asked at its node', targets: [{ url: owner.url, instance }], pids },
    { name: 'asked at another', targets: [{ url: other.url, instance }], pids },
  ]);
  printTable(
    `text sends of one instance of two nodes, ${CONCURRENCY} at once: what the way over another node costs`,
    rows,
  );
  return rows;
}

async function benchGrowth(clusters: readonly Cluster[]) {
  const rows = await compare(
    clusters.flatMap(({ nodes, owners }) => {
      const pids = nodes.map(({ pid }) => pid);
      const ownerTargets = Array.from(owners, ([instance, { url }]) => ({ url, instance }));
      // Every instance at every node in turn, as behind a load balancer without knowledge of instances.
      const balancedTargets = nodes.flatMap(({ url }, n) =>
        ownerTargets.map((_, m) => ({ url, instance: ownerTargets[(n + m) % ownerTargets.length]?.instance ?? '' })),
      );
      const name = `${nodes.length} ${nodes.length === 1 ? 'process' : 'processes'}`;
      if (nodes.length === 1) return [{ name, targets: ownerTargets, pids }];
      return [
        { name, targets: ownerTargets, pids },
        { name: `${name}, any node asked`, targets: balancedTargets, pids },
      ];
    }),
  );
  printTable(`text sends of ${INSTANCES} instances, ${CONCURRENCY} at once, on this machine`, rows);
  return rows;
}

export async function benchCluster() {
  const platform = await forkChild('./platform.ts');
  const server = await startPostgres();
  const fence = await benchFence(platform, server);
  const clusters: Cluster[] = [];
  for (const [count, firstNumber] of [
    [1, 15567001001],
    [2, 15567002001],
    [4, 15567003001],
  ] as const)
    clusters.push(await startCluster(platform, server, count, firstNumber));
  const twoNodes = clusters[1];
  const forward = twoNodes && (await benchForward(twoNodes));
  const growth = await benchGrowth(clusters);
  await Promise.all(clusters.map((cluster) => cluster.stop()));
  for (const pool of pools.values()) await pool.close();
  await platform.stop();
  await server.stop();
  return { fence, forward, growth };
}
