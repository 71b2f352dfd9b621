// Two adjacent releases on one database, as in a rolling upgrade. The older release works while the newer one migrates
// the schema.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LeaseFence } from '../../src/storage/lease-fence.ts';
import { migrate, NEWEST_SCHEMA } from '../../src/storage/migrate.ts';
import type { Migration } from '../../src/storage/migrations/migration.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { FakeClock } from '../support/instance-fakes.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { useAllStores } from './use-all-stores.ts';

/** A migration that adds a column and an index to each of `tables`. It is allowed while the previous release runs. */
const nextMigration = (tables: readonly string[], compatibleWith: number): Migration => ({
  version: NEWEST_SCHEMA + 1,
  compatibleWith,
  up: () => [
    ...tables.map((table) => `ALTER TABLE ${table} ADD COLUMN added TEXT NOT NULL DEFAULT 'by the next release'`),
    ...tables.map((table) => `CREATE INDEX ${table}_added ON ${table} (added)`),
    'CREATE TABLE added (id TEXT PRIMARY KEY)',
  ],
});

const server = sharedPostgres();

async function openOlderRelease(databaseUrl: string) {
  const encryptionKey = Buffer.alloc(32, 1).toString('base64');
  const storage = await openStorage({ dataDir: ':memory:', databaseUrl, network: 'sandbox', encryptionKey });
  onTestFinished(() => storage.close());
  // After join(), every write also reads the table of leases.
  await storage.leases?.join({ name: randomUUID(), url: 'http://127.0.0.1:1', version: '0.0.0', capacity: 0 });
  return storage;
}

/** Migrates the schema, as the next release does at startup. */
async function migrateToNextRelease(url: string, compatibleWith: number): Promise<void> {
  const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
  onTestFinished(() => database.close());
  const tables = (await server.execute(
    url,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('schema_version', 'added')`,
  )) as { name: string }[];
  const names = tables.map(({ name }) => name);
  await migrate(database, new FakeClock(), { migrations: [nextMigration(names, compatibleWith)] });
}

describe('a compatible schema', () => {
  it('a release keeps working while the next release migrates the database, and can be started again afterwards', async () => {
    const url = await server.createDatabase();
    const storage = await openOlderRelease(url);
    await useAllStores(storage, 'before');
    let round = 0;
    let isUpgraded = false;
    const olderReleaseWork = (async () => {
      // The last round runs after the migration, with statements that were prepared before it.
      for (let isLast = false; !isLast; round += 1) {
        isLast = isUpgraded;
        await useAllStores(storage, `during ${round}`);
      }
    })();
    await migrateToNextRelease(url, NEWEST_SCHEMA).finally(() => {
      isUpgraded = true;
    });
    await olderReleaseWork;
    expect(round).toBeGreaterThan(1);
    await useAllStores(await openOlderRelease(url), 'started again');
    await migrateToNextRelease(url, NEWEST_SCHEMA);
    expect(await server.execute(url, 'SELECT max(version)::integer AS version FROM schema_version')).toEqual([
      { version: NEWEST_SCHEMA + 1 },
    ]);
  });
});

describe('an incompatible schema', () => {
  it('a release refuses to open a database with an incompatible schema of the next release', async () => {
    const url = await server.createDatabase();
    await (await openOlderRelease(url)).close();
    await migrateToNextRelease(url, NEWEST_SCHEMA + 1);
    await expect(openOlderRelease(url)).rejects.toThrow(
      `The database has schema version ${NEWEST_SCHEMA + 1} and this gateway knows up to ${NEWEST_SCHEMA}: it was used by a newer release. Start that release, or restore a backup from before the upgrade.`,
    );
  });
});
