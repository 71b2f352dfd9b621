// What readiness learns of a database that answers reads and refuses writes.
import { expect, it, onTestFinished } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Database } from '../../src/storage/database.ts';
import { createMetadata } from '../../src/storage/metadata.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { createWriteProbe } from '../../src/storage/write-probe.ts';
import { emptyFolder } from '../support/folder.ts';

/** A migrated database whose size the test limits, as a full disk does, and the probe of it. */
async function limited() {
  let now = 0;
  const real = openSqlite({ dataDir: emptyFolder(), synchronous: 'normal' });
  onTestFinished(() => real.close());
  await migrate(real, systemClock);
  let writes = 0;
  const counted: Database = {
    ...real,
    query: (step) => {
      writes += 1;
      return real.query(step);
    },
  };
  const probe = createWriteProbe(
    () => createMetadata(counted),
    () => now,
  );
  const wait = (ms: number): void => {
    now += ms;
  };
  const database = probe.observe(counted);
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

it('a probe fails on a full disk that only a message no longer fits on, and says that the disk is full', async () => {
  const { wait, probe, metadata, limit } = await limited();
  await probe.check();
  // SQLite takes the current size for any limit below it.
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

it('a probe after a failure that is not of the database is small', async () => {
  const { probe, database, metadata } = await limited();
  const lost = new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
  const work = database.transaction(function* () {
    yield 'SELECT 1';
    throw lost;
  });
  await expect(work).rejects.toBe(lost);
  await probe.check();
  expect((await metadata.get('write-probe'))?.length).toBeLessThan(100);
});

it('probes that come together, or within a second, are one write', async () => {
  const { wait, probe, writes } = await limited();
  await Promise.all(Array.from({ length: 100 }, () => probe.check()));
  wait(999);
  await probe.check();
  expect(writes()).toBe(1);
  wait(1);
  await probe.check();
  expect(writes()).toBe(2);
});
