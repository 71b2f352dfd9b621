// The write probe of the readiness check, on a database that accepts reads and rejects writes.
import { expect, it, onTestFinished } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Database } from '../../src/storage/database.ts';
import { createMetadata } from '../../src/storage/metadata.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { createWriteProbe } from '../../src/storage/write-probe.ts';
import { emptyFolder } from '../support/folder.ts';

/** A migrated database with its write probe. `limit` limits the size of the database, as a full disk does. */
async function setUpLimitedDatabase() {
  let now = 0;
  const real = openSqlite({ dataDir: emptyFolder(), synchronous: 'normal' });
  onTestFinished(() => real.close());
  await migrate(real, systemClock);
  let writes = 0;
  const countingDatabase: Database = {
    ...real,
    query: (step) => {
      writes += 1;
      return real.query(step);
    },
  };
  const probe = createWriteProbe(
    () => createMetadata(countingDatabase),
    () => now,
  );
  const wait = (ms: number): void => {
    now += ms;
  };
  const database = probe.observe(countingDatabase);
  const limit = (pages: number) =>
    real.transaction(function* () {
      yield `PRAGMA max_page_count = ${pages}`;
    });
  return { wait, probe, database, metadata: createMetadata(database), limit, writes: () => writes };
}

const FULL = {
  code: 'STORAGE_UNAVAILABLE',
  status: 503,
  responseMessage: 'The database is not available: its disk is full',
};
const MESSAGE = 'x'.repeat(20_000);

it('the write probe fails with the reason after a message did not fit on a full disk, until there is space again', async () => {
  const { wait, probe, metadata, limit } = await setUpLimitedDatabase();
  await probe.check();
  // SQLite uses the current size as the limit when the given limit is lower.
  await limit(1);
  await expect(metadata.set('message', MESSAGE)).rejects.toMatchObject(FULL);
  wait(1_000);
  await expect(probe.check()).rejects.toMatchObject(FULL);
  wait(1_000);
  await expect(probe.check()).rejects.toMatchObject(FULL);

  await limit(1_000_000);
  wait(1_000);
  await expect(probe.check()).resolves.toBeUndefined();
  await metadata.set('message', MESSAGE);
  wait(1_000);
  await expect(probe.check()).resolves.toBeUndefined();
});

it('the write probe stays small after a failure that the database did not cause', async () => {
  const { probe, database, metadata } = await setUpLimitedDatabase();
  const leaseLost = new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
  const work = database.transaction(function* () {
    yield 'SELECT 1';
    throw leaseLost;
  });
  await expect(work).rejects.toBe(leaseLost);
  await probe.check();
  expect((await metadata.get('write-probe'))?.length).toBeLessThan(100);
});

it('concurrent write probes, and write probes within one second, share one write', async () => {
  const { wait, probe, writes } = await setUpLimitedDatabase();
  await Promise.all(Array.from({ length: 100 }, () => probe.check()));
  wait(999);
  await probe.check();
  expect(writes()).toBe(1);
  wait(1);
  await probe.check();
  expect(writes()).toBe(2);
});
