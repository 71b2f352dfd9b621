// Two adjacent releases on one database, as in a rolling upgrade: the older one is at work while the newer one changes the schema.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LeaseFence } from '../../src/storage/lease-fence.ts';
import { migrate, newestSchema } from '../../src/storage/migrate.ts';
import type { Migration } from '../../src/storage/migrations/migration.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { FakeClock } from '../instances/fakes.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { walk } from './walk.ts';

/** Gives every table a column and an index, as far as one release may without asking the one before. */
const next = (tables: readonly string[], compatibleWith: number): Migration => ({
  version: newestSchema + 1,
  compatibleWith,
  up: () => [
    ...tables.map((table) => `ALTER TABLE ${table} ADD COLUMN added TEXT NOT NULL DEFAULT 'by the next release'`),
    ...tables.map((table) => `CREATE INDEX ${table}_added ON ${table} (added)`),
    'CREATE TABLE added (id TEXT PRIMARY KEY)',
  ],
});

const server = sharedPostgres();

async function older(databaseUrl: string) {
  const encryptionKey = Buffer.alloc(32, 1).toString('base64');
  const storage = await openStorage({ dataDir: ':memory:', databaseUrl, network: 'sandbox', encryptionKey });
  onTestFinished(() => storage.close());
  // Under a lease, every write looks at two tables.
  await storage.leases?.join({ name: randomUUID(), url: 'http://127.0.0.1:1', version: '0.0.0', capacity: 0 });
  return storage;
}

/** The start of the next release, as far as its schema goes. */
async function newer(url: string, compatibleWith: number): Promise<void> {
  const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
  onTestFinished(() => database.close());
  const tables = (await server.execute(
    url,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('schema_version', 'added')`,
  )) as { name: string }[];
  const names = tables.map(({ name }) => name);
  await migrate(database, new FakeClock(), { migrations: [next(names, compatibleWith)] });
}

describe('a release whose schema the one before can use', () => {
  it('upgrades the database under the other, which goes on, and can be started again', async () => {
    const url = await server.createDatabase();
    const storage = await older(url);
    await walk(storage, 'before');
    let round = 0;
    let isUpgraded = false;
    const atWork = (async () => {
      // At least once after the change: what was prepared before it is used again.
      for (let isLast = false; !isLast; round += 1) {
        isLast = isUpgraded;
        await walk(storage, `during ${round}`);
      }
    })();
    await newer(url, newestSchema).finally(() => {
      isUpgraded = true;
    });
    await atWork;
    expect(round).toBeGreaterThan(1);
    await walk(await older(url), 'started again');
    await newer(url, newestSchema);
    expect(await server.execute(url, 'SELECT max(version)::integer AS version FROM schema_version')).toEqual([
      { version: newestSchema + 1 },
    ]);
  });
});

describe('a release whose schema the one before cannot use', () => {
  it('is the last word: the other one is refused with a sentence', async () => {
    const url = await server.createDatabase();
    await (await older(url)).close();
    await newer(url, newestSchema + 1);
    await expect(older(url)).rejects.toThrow(
      `The database has schema version ${newestSchema + 1} and this gateway knows up to ${newestSchema}: it was used by a newer release. Start that release, or restore a backup from before the upgrade.`,
    );
  });
});
