// Statements on PostgreSQL that take longer than the timeout.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database, StatementBatch, Work } from '../../src/storage/database.ts';
import { LeaseFence } from '../../src/storage/lease-fence.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = sharedPostgres();

describe('a statement that takes longer than the timeout', () => {
  // `timeoutMs` is long, because a busy server can reply late to a cancellation.
  const TIMES = { timeoutMs: 60_000, cancelAfterMs: 500 };
  const slow: StatementBatch = {
    statement: { name: 'slow', sqlite: '', postgres: 'SELECT pg_sleep(60), $1::text[]' },
    rows: [['a']],
  };

  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['a query', (database) => database.query(slow)],
    ['a write', (database) => database.write(() => [slow], 'i')],
    [
      'a transaction',
      (database) =>
        database.transaction(function* (): Work<unknown> {
          return yield slow;
        }),
    ],
    [
      'a transaction of an instance',
      (database) =>
        database.transaction(function* (): Work<unknown> {
          return yield slow;
        }, 'i'),
    ],
  ])('%s that takes longer than the timeout is canceled on the server, and other connections stay open', async (_, run) => {
    const url = await server.createDatabase();
    const database = openPostgres({ url, poolSize: 2, ...TIMES, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    const pid: StatementBatch = {
      statement: { name: 'pid', sqlite: '', postgres: 'SELECT pg_backend_pid() AS pid, $1::text[]' },
      rows: [['a']],
    };
    const outcome = expect(run(database)).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      cause: { code: '57014' },
    });
    const pidOfOther = await database.query(pid);
    await outcome;
    expect(await database.query(pid)).toEqual(pidOfOther);
    const active = () =>
      server.execute(
        url,
        `SELECT pid FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid() AND state = 'active'`,
      );
    await expect.poll(active).toEqual([]);
  });

  it.each<[string, (database: Database, insert: StatementBatch) => Promise<unknown>]>([
    ['a query', (database, insert) => database.query(insert)],
    ['a write', (database, insert) => database.write(() => [insert], 'i')],
  ])('%s rejects with STORAGE_UNAVAILABLE when the server completes it in spite of the cancellation', async (_, run) => {
    const url = await server.createDatabase();
    // A server that waits for a standby reacts to a cancellation in this way too.
    await server.execute(
      url,
      `CREATE TABLE victim (id TEXT);
       CREATE FUNCTION slow(id TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_sleep(60); RETURN id;
         EXCEPTION WHEN query_canceled THEN RETURN id; END $$`,
    );
    const insertSql = 'INSERT INTO victim SELECT slow(k.id) FROM unnest($1::text[]) AS k(id)';
    const statement = { name: 'insert_slowly', sqlite: '', postgres: insertSql, fenced: insertSql };
    const database = openPostgres({ url, poolSize: 2, ...TIMES, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    await expect(run(database, { statement, rows: [['a']] })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await server.execute(url, 'SELECT id FROM victim')).toEqual([{ id: 'a' }]);
  });

  it('a transaction that waits for its lease longer than the timeout is canceled', async () => {
    const url = await server.createDatabase();
    await server.execute(
      url,
      `CREATE TABLE slow_lease AS SELECT 'i' AS instance, 1 AS epoch;
       CREATE VIEW lease AS SELECT * FROM slow_lease WHERE pg_sleep(60)::text IS NOT NULL`,
    );
    const fence = new LeaseFence();
    fence.nodeId = 'this';
    fence.hold('i', 1);
    const database = openPostgres({ url, poolSize: 2, ...TIMES, fence });
    onTestFinished(() => database.close());
    const work = function* (): Work<unknown> {
      return yield 'SELECT 1';
    };
    await expect(database.transaction(work, 'i')).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      cause: { code: '57014' },
    });
  });
});
