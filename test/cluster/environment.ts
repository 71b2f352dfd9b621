// The parts of a cluster run: PostgreSQL, the platform, the nodes, the receiver of webhooks and the linked instances.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { startReceiver } from '../support/receiver.ts';
import { Ledger } from './ledger.ts';
import { createNode, type GatewayNode, KEY, type NodeSetup } from './nodes.ts';
import { type Platform, startPlatform } from './platform.ts';
import { until } from './wait.ts';
import { type ForeignWrite, readAudit, startAudit } from './write-audit.ts';

const LINK_LIMIT = 60_000;
/** Nodes do not rebalance a share that is less than a tenth above an equal share. */
const SLACK = 1.1;
/** Instances that are linked at the same time. */
const LINK_CONCURRENCY = 6;

export interface StageOptions {
  nodes: number;
  instances: number;
  /** Seconds. */
  ttl: number;
  /** Further settings of every node. */
  env?: Record<string, string>;
}

export interface Stage {
  /** Folder with logs and data, which is not deleted. */
  readonly folder: string;
  readonly server: PostgresServer;
  readonly platform: Platform;
  readonly ledger: Ledger;
  readonly nodes: GatewayNode[];
  /** ms. */
  readonly ttl: number;
  /** Phone number by name. */
  readonly instances: ReadonlyMap<string, string>;
  /** JIDs of the devices after the first linking. */
  readonly devices: ReadonlySet<string>;
  /** Adds a node that is not started. */
  addNode(): Promise<GatewayNode>;
  /** Names of the instances whose lease the node holds according to the database. */
  instancesOf(node: GatewayNode): Promise<string[]>;
  /** Resolves when every instance belongs to a node with recent heartbeats, and no node has more than its share. */
  waitUntilSettled(limit: number): Promise<void>;
  audit(): Promise<{ checked: number; foreignWrites: ForeignWrite[] }>;
  /** Stops all parts: the nodes gracefully, or by force when the run has failed. */
  stop(how: 'in order' | 'by force'): Promise<void>;
}

/** Starts all parts. Resolves when all instances are linked and the webhook has received their state open. */
export async function createStage({ nodes: count, instances: instanceCount, ttl, env }: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-cluster-'));
  const server = await startPostgres();
  const databaseUrl = await server.createDatabase();
  const platform = await startPlatform(folder);
  const receiver = await startReceiver();
  const ledger = new Ledger();
  receiver.answer((post) => {
    ledger.recordPost(post);
    return 200;
  });
  const secrets = { ENCRYPTION_KEY: randomBytes(32).toString('base64'), LEASE_TTL: String(ttl) };
  const setup: NodeSetup = { folder, databaseUrl, env: { ...platform.env, ...secrets, ...env } };
  const nodes: GatewayNode[] = [];
  const addNode = async () => {
    const node = await createNode(`node-${nodes.length + 1}`, setup);
    nodes.push(node);
    return node;
  };
  const query = async <T>(sql: string): Promise<T[]> => (await server.execute(databaseUrl, sql)) as T[];
  const first = await addNode();
  await first.start();
  await startAudit(server, databaseUrl);
  for (let n = 1; n < count; n++) await (await addNode()).start();
  const instances = new Map(
    Array.from({ length: instanceCount }, (_, n) => [`line-${n + 1}`, String(15_551_000_001 + n)]),
  );
  await link({ instances, nodes, platform, ledger, webhook: receiver.url });
  const devices = new Set((await platform.sessions()).map(({ jid }) => jid));
  return {
    ...{ folder, server, platform, ledger, nodes, ttl: ttl * 1000, instances, devices, addNode },
    async instancesOf({ name }) {
      if (process.env.SINGLE) return [...instances.keys()];
      const rows = await query<{ name: string }>(
        `SELECT i.name FROM instance i JOIN lease l ON l.instance = i.id JOIN node n ON n.id = l.owner WHERE n.name = '${name}'`,
      );
      return rows.map((row) => row.name);
    },
    async waitUntilSettled(limit) {
      const counts = `SELECT (SELECT count(*) FROM lease l JOIN instance i ON i.id = l.instance WHERE l.owner = n.id)::integer AS count FROM node n
        WHERE n.heartbeat_at > extract(epoch FROM clock_timestamp()) * 1000 - ${ttl * 1000}`;
      const equalShare = instanceCount / nodes.length;
      const maxShare = Math.max(Math.ceil(equalShare), equalShare * SLACK);
      const isSettled = async () => {
        const heldCounts = (await query<{ count: number }>(counts)).map(({ count }) => count);
        return (
          heldCounts.reduce((sum, count) => sum + count, 0) === instanceCount &&
          heldCounts.every((count) => count <= maxShare)
        );
      };
      await until(isSettled, limit, `every instance has a node, and no node more than ${maxShare}`);
    },
    audit: () => readAudit(server, databaseUrl),
    async stop(how) {
      await Promise.all(nodes.map((node) => (how === 'in order' ? node.stop() : node.kill())));
      await receiver.stop();
      await platform.stop();
      await server.stop();
    },
  };
}

interface LinkOptions {
  instances: ReadonlyMap<string, string>;
  nodes: readonly GatewayNode[];
  platform: Platform;
  ledger: Ledger;
  webhook: string;
}

/** Creates the instances, each request on a random node, and scans their QR codes. */
async function link({ instances, nodes, platform, ledger, webhook }: LinkOptions): Promise<void> {
  const remaining = [...instances.entries()];
  const request = async (method: string, path: string, body?: object) => {
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    const headers = { apikey: KEY, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${node?.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return (await answer.json()) as { code?: string; qrcode?: { code?: string } };
  };
  const linker = async () => {
    for (let next = remaining.shift(); next; next = remaining.shift()) {
      const [instanceName, number] = next;
      const hook = { url: webhook, events: [] };
      // An instance can move to a node that has just joined, and shows another code there. The code is then requested
      // again.
      const scan = async () => {
        const created = await request('POST', '/instance/create', { instanceName, qrcode: true, webhook: hook });
        const code = created.qrcode?.code ?? (await request('GET', `/instance/connect/${instanceName}`)).code;
        if (code) await platform.scan(number, code);
        return code !== undefined || ledger.wasOpen(instanceName);
      };
      await until(scan, LINK_LIMIT, `${instanceName} is linked`);
    }
  };
  await Promise.all(Array.from({ length: LINK_CONCURRENCY }, linker));
  const findClosed = () => [...instances.keys()].filter((name) => !ledger.wasOpen(name));
  await ledger.until(
    () => findClosed().length === 0,
    LINK_LIMIT,
    () => `open: ${findClosed()}`,
  );
  ledger.clearQrCodes();
}
