// Everything that takes part: PostgreSQL, the platform, the nodes, the receiver of webhooks, and the linked instances.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { startReceiver } from '../support/receiver.ts';
import { readAudit, type Stray, startAudit } from './audit.ts';
import { Ledger } from './ledger.ts';
import { createNode, type GatewayNode, KEY, type NodeSetup } from './nodes.ts';
import { type Platform, startPlatform } from './platform.ts';
import { until } from './wait.ts';

const LINK_LIMIT = 60_000;
/** Nothing moves for less than a tenth above an equal share. */
const SLACK = 1.1;
/** Instances that are linked at the same time. */
const LINKING = 6;

export interface StageOptions {
  nodes: number;
  instances: number;
  /** Seconds. */
  ttl: number;
  /** Further settings of every node. */
  env?: Record<string, string>;
}

export interface Stage {
  /** Logs and data, kept. */
  readonly folder: string;
  readonly server: PostgresServer;
  readonly platform: Platform;
  readonly ledger: Ledger;
  readonly nodes: GatewayNode[];
  /** ms. */
  readonly ttl: number;
  /** Name → number. */
  readonly instances: ReadonlyMap<string, string>;
  /** Addresses of the devices as they were linked first. */
  readonly devices: ReadonlySet<string>;
  /** One more node; not started. */
  addNode(): Promise<GatewayNode>;
  /** Names of the instances whose lease the node holds, as the database says. */
  runOwnedBy(node: GatewayNode): Promise<string[]>;
  /** Resolves when every instance belongs to a node that gives signs of life, and no node has more than its share. */
  settled(limit: number): Promise<void>;
  audit(): Promise<{ checked: number; strays: Stray[] }>;
  /** Ends everything; nodes in order, or by force when the show has failed. */
  stop(how: 'in order' | 'by force'): Promise<void>;
}

/** Resolves when all instances are linked and their webhook has received that they are open. */
export async function setStage({ nodes: count, instances: wanted, ttl, env }: StageOptions): Promise<Stage> {
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
  const ask = async <T>(sql: string): Promise<T[]> => (await server.execute(databaseUrl, sql)) as T[];
  const first = await addNode();
  await first.start();
  await startAudit(server, databaseUrl);
  for (let n = 1; n < count; n++) await (await addNode()).start();
  const instances = new Map(Array.from({ length: wanted }, (_, n) => [`line-${n + 1}`, String(15_551_000_001 + n)]));
  await link({ instances, nodes, platform, ledger, webhook: receiver.url });
  const devices = new Set((await platform.sessions()).map(({ jid }) => jid));
  return {
    ...{ folder, server, platform, ledger, nodes, ttl: ttl * 1000, instances, devices, addNode },
    async runOwnedBy({ name }) {
      if (process.env.SINGLE) return [...instances.keys()];
      const rows = await ask<{ name: string }>(
        `SELECT i.name FROM instance i JOIN lease l ON l.instance = i.id JOIN node n ON n.id = l.owner WHERE n.name = '${name}'`,
      );
      return rows.map((row) => row.name);
    },
    async settled(limit) {
      const counts = `SELECT (SELECT count(*) FROM lease l JOIN instance i ON i.id = l.instance WHERE l.owner = n.id)::integer AS count FROM node n
        WHERE n.heartbeat_at > extract(epoch FROM clock_timestamp()) * 1000 - ${ttl * 1000}`;
      const equal = wanted / nodes.length;
      const most = Math.max(Math.ceil(equal), equal * SLACK);
      const isSettled = async () => {
        const held = (await ask<{ count: number }>(counts)).map(({ count }) => count);
        return held.reduce((sum, count) => sum + count, 0) === wanted && held.every((count) => count <= most);
      };
      await until(isSettled, limit, `every instance has a node, and no node more than ${most}`);
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

interface Linking {
  instances: ReadonlyMap<string, string>;
  nodes: readonly GatewayNode[];
  platform: Platform;
  ledger: Ledger;
  webhook: string;
}

/** Creates the instances, each at a node in turn, and scans their QR codes. */
async function link({ instances, nodes, platform, ledger, webhook }: Linking): Promise<void> {
  const waiting = [...instances.entries()];
  const ask = async (method: string, path: string, body?: object) => {
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    const headers = { apikey: KEY, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${node?.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return (await answer.json()) as { code?: string; qrcode?: { code?: string } };
  };
  const linker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [instanceName, number] = next;
      const hook = { url: webhook, events: [] };
      // A node that has just joined gets its share at once: what moves meanwhile is asked for again, and shows another code there.
      const scan = async () => {
        const created = await ask('POST', '/instance/create', { instanceName, qrcode: true, webhook: hook });
        const code = created.qrcode?.code ?? (await ask('GET', `/instance/connect/${instanceName}`)).code;
        if (code) await platform.scan(number, code);
        return code !== undefined || ledger.wasOpen(instanceName);
      };
      await until(scan, LINK_LIMIT, `${instanceName} is linked`);
    }
  };
  await Promise.all(Array.from({ length: LINKING }, linker));
  const closed = () => [...instances.keys()].filter((name) => !ledger.wasOpen(name));
  await ledger.until(
    () => closed().length === 0,
    LINK_LIMIT,
    () => `open: ${closed()}`,
  );
  ledger.forgetCodes();
}
