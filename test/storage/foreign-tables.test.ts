// Databases that contain tables of another program.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage, type StorageOptions } from '../../src/storage/open.ts';
import { emptyFolder } from '../support/folder.ts';
import { run } from '../support/process.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = sharedPostgres();

/** Creates a database and runs the statements in it. Returns the URL. */
async function databaseWith(sql: string): Promise<string> {
  const url = await server.createDatabase();
  await server.execute(url, sql);
  return url;
}

const tablesOf = async (url: string) =>
  (await server.execute(url, `SELECT tablename FROM pg_tables WHERE schemaname !~ '^(pg_|information)' ORDER BY 1`))
    .map((row) => Object.values(Object(row)).join())
    .join();

const encryptionKey = Buffer.alloc(32, 1).toString('base64');

async function open(databaseUrl: string, options: Partial<StorageOptions> = {}): Promise<void> {
  const storage = await openStorage({
    dataDir: emptyFolder(),
    network: 'sandbox',
    encryptionKey,
    databaseUrl,
    ...options,
  });
  await storage.close();
}

const EVOLUTION =
  'CREATE TABLE "Instance" (id TEXT); CREATE TABLE "Message" (id TEXT); CREATE TABLE _prisma_migrations (id TEXT)';
const REFUSED = /tables of another program.*database of its own.*DATABASE_SHARED=true/;

describe('a database that has only tables of another program', () => {
  it('openStorage() rejects a database of another program before it creates a table', async () => {
    const url = await databaseWith(EVOLUTION);
    await expect(open(url)).rejects.toThrow(REFUSED);
    await expect(open(url)).rejects.toThrow('Instance, Message, _prisma_migrations');
    expect(await tablesOf(url)).toBe('Instance,Message,_prisma_migrations');
  });

  it('the server exits with code 78 and the reason when DATABASE_CONNECTION_URI is a database of another program', async () => {
    const url = await databaseWith(EVOLUTION);
    const env = { DATA_DIR: emptyFolder(), HOST: '127.0.0.1', PORT: '0' };
    const program = run(['src/server.ts'], { ...env, DATABASE_CONNECTION_URI: `${url}?schema=public` });
    expect(await program.ended).toBe(78);
    expect(program.lines.at(-1)).toMatch(REFUSED);
  });

  it('openStorage() rejects tables of another program in a schema that only the URL parameter `schema` names', async () => {
    const url = await databaseWith('CREATE SCHEMA evolution_api; CREATE TABLE evolution_api."Instance" (id TEXT)');
    await expect(open(`${url}?schema=evolution_api`)).rejects.toThrow('evolution_api.Instance');
  });

  it('openStorage() rejects a database in which another program has a table named schema_version', async () => {
    const url = await databaseWith('CREATE TABLE schema_version (version BIGINT, script TEXT)');
    await expect(open(url)).rejects.toThrow(REFUSED);
    await expect(open(url, { allowForeignTables: true })).rejects.toThrow(
      'names that the gateway needs (schema_version)',
    );
  });

  it('openStorage() uses a database of another program with allowForeignTables, and warns later without it', async () => {
    const url = await databaseWith(EVOLUTION);
    await open(url, { allowForeignTables: true, onForeignTables: () => expect.unreachable() });
    expect(await tablesOf(url)).toContain('access_key');
    const warned: string[] = [];
    await open(url, { onForeignTables: (tables) => void warned.push(...tables) });
    expect(warned).toEqual(['Instance', 'Message', '_prisma_migrations']);
  });

  it('openStorage() rejects a SQLite file of another program', async () => {
    const dataDir = emptyFolder();
    const database = new DatabaseSync(join(dataDir, 'gateway.db'));
    onTestFinished(() => database.close());
    database.exec('CREATE TABLE bookmarks (id TEXT)');
    await expect(openStorage({ dataDir, network: 'sandbox' })).rejects.toThrow(REFUSED);
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'bookmarks' }]);
  });
});

describe('a database with a schema for each program', () => {
  it('openStorage() ignores tables of other users and of other schemas', async () => {
    const other = await databaseWith(
      `CREATE ROLE stranger; CREATE SCHEMA theirs AUTHORIZATION stranger; CREATE TABLE theirs.things (id TEXT);
       ALTER TABLE theirs.things OWNER TO stranger`,
    );
    await open(other);
    const own = await databaseWith(`${EVOLUTION}; CREATE SCHEMA gateway`);
    await open(`${own}?options=-c%20search_path%3Dgateway`, { onForeignTables: () => expect.unreachable() });
  });
});
