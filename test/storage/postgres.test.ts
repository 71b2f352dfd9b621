// The conformance suite on a real PostgreSQL server, and tests of lost connections, deadlocks and group commits.
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { Database, StatementBatch, Work } from '../../src/storage/database.ts';
import { LeaseFence } from '../../src/storage/lease-fence.ts';
import { createMetadata } from '../../src/storage/metadata.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { createWriteProbe } from '../../src/storage/write-probe.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { waitUntil } from '../support/wait-for.ts';
import { conformance } from './conformance.ts';

const server = sharedPostgres();

conformance('PostgreSQL', async () => {
  const databaseUrl = await server.createMigratedDatabase();
  const base = {
    dataDir: ':memory:',
    databaseUrl,
    network: 'sandbox',
    encryptionKey: Buffer.alloc(32, 1).toString('base64'),
  } as const;
  let storage = await openStorage(base);
  onTestFinished(() => storage.close());
  return {
    storage,
    async reopen(options) {
      await storage.close();
      storage = await openStorage({ ...base, ...options });
      return storage;
    },
    execute: (sql) => server.execute(databaseUrl, sql),
    rejectValue: async (table, column, value) => {
      await server.execute(databaseUrl, `ALTER TABLE ${table} ADD CONSTRAINT poison CHECK (${column} <> '${value}')`);
    },
    makeUnavailable: async () => {
      await server.execute(
        databaseUrl.replace(/[^/]+$/, 'postgres'),
        `DROP DATABASE ${databaseUrl.split('/').at(-1)} WITH (FORCE)`,
      );
    },
  };
});

describe('a connection that the server terminates', () => {
  /** A table whose first inserted row terminates the connection: at the INSERT (IMMEDIATE) or at COMMIT (DEFERRED). */
  async function createTerminatingTable(timing: 'IMMEDIATE' | 'DEFERRED') {
    const url = await server.createDatabase();
    await server.execute(
      url,
      `CREATE TABLE victim (id TEXT);
       CREATE SEQUENCE tries;
       CREATE FUNCTION spring() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
         RETURN NEW; END $$;
       CREATE CONSTRAINT TRIGGER trap AFTER INSERT ON victim DEFERRABLE INITIALLY ${timing} FOR EACH ROW EXECUTE FUNCTION spring()`,
    );
    const readState = async () =>
      (
        await server.execute(
          url,
          'SELECT last_value::integer AS tries, (SELECT count(*)::integer FROM victim) AS rows FROM tries',
        )
      )[0];
    return { database: openDatabase(url), readState };
  }
  function openDatabase(url: string) {
    const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    return database;
  }
  const insert: StatementBatch = {
    statement: {
      name: 'insert_victim',
      sqlite: '',
      postgres: 'INSERT INTO victim SELECT k.* FROM unnest($1::text[]) AS k(id)',
    },
    rows: [['a']],
  };
  const insertRow = function* (): Work<void> {
    yield insert;
  };

  it('database.transaction() runs again when the server ends its connection between two statements', async () => {
    const database = openDatabase(await server.createDatabase());
    const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const pids: unknown[] = [];
    const result = await database.transaction(function* (): Work<unknown[]> {
      const [row] = (yield 'SELECT pg_backend_pid() AS pid') as { pid: number }[];
      // The blocked event loop reads the reply and the termination together. No query waits then, so only the client
      // gets the error.
      if (pids.push(row?.pid) === 1) {
        setImmediate(() => {
          block(50);
          process.kill(row?.pid ?? 0, 'SIGTERM');
          block(100);
        });
      }
      yield 'SELECT 1';
      return yield 'SELECT 2 AS two';
    });
    expect(result).toEqual([{ two: 2 }]);
    expect(new Set(pids).size).toBe(2);
  });

  it('database.transaction() runs again when its connection ends before the commit', async () => {
    const { database, readState } = await createTerminatingTable('IMMEDIATE');
    await database.transaction(insertRow);
    expect(await readState()).toEqual({ tries: 2, rows: 1 });
  });

  it('database.transaction() and query() do not repeat a write that may have been committed', async () => {
    for (const write of [
      (database: Database) => database.transaction(insertRow),
      (database: Database) => database.query(insert),
    ]) {
      const { database, readState } = await createTerminatingTable('DEFERRED');
      await expect(write(database)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      expect(await readState()).toEqual({ tries: 1, rows: 0 });
      await write(database);
      expect(await readState()).toEqual({ tries: 2, rows: 1 });
    }
  });

  it('database.query() replaces a connection that became read-only, as after a failover', async () => {
    const { database, readState } = await createTerminatingTable('IMMEDIATE');
    await database.transaction(insertRow);
    await database.transaction(function* (): Work<void> {
      yield 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY';
    });
    await database.query(insert);
    expect(await readState()).toEqual({ tries: 3, rows: 2 });
  });
});

describe('a transaction that the server rolls back because of a deadlock', () => {
  /** A database whose first `times` inserts into `victim` fail with the error code of a deadlock. */
  async function createDeadlocks(times: number) {
    const url = await server.createDatabase();
    await server.execute(
      url,
      `CREATE TABLE victim (id TEXT);
       CREATE SEQUENCE tries;
       CREATE FUNCTION spring() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tries') <= ${times} THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
         RETURN NEW; END $$;
       CREATE TRIGGER trap BEFORE INSERT ON victim FOR EACH ROW EXECUTE FUNCTION spring()`,
    );
    const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    const insertRow = function* (): Work<void> {
      yield `INSERT INTO victim VALUES ('a')`;
    };
    const readRows = async () => (await server.execute(url, 'SELECT count(*)::integer AS rows FROM victim'))[0];
    return { write: () => database.transaction(insertRow), readRows };
  }

  it('database.transaction() succeeds after six deadlocks, as a migration of another release can cause them', async () => {
    const { write, readRows } = await createDeadlocks(6);
    await write();
    expect(await readRows()).toEqual({ rows: 1 });
  });

  it('database.transaction() rejects with STORAGE_UNAVAILABLE when each of its attempts ends in a deadlock', async () => {
    const { write, readRows } = await createDeadlocks(1_000);
    await expect(write()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await readRows()).toEqual({ rows: 0 });
  });
});

describe('writes of one instance', () => {
  const insertSql = 'INSERT INTO victim SELECT k.* FROM unnest($1::text[]) AS k(id)';
  const insertFenced = `WITH fence AS (SELECT FROM lease WHERE instance = $2 AND epoch = $3 FOR KEY SHARE) ${insertSql}, fence`;
  const batch = (...ids: string[]): StatementBatch => ({
    statement: { name: 'insert_victim', sqlite: '', postgres: insertSql, fenced: insertFenced },
    rows: ids.map((id) => [id]),
  });
  function* insertRow(id: string): Work<string> {
    yield batch(id);
    const [row] = (yield 'SELECT pg_current_xact_id()::text AS transaction') as { transaction: string }[];
    return row?.transaction ?? '';
  }

  async function openDatabase(fence = new LeaseFence()) {
    const url = await server.createDatabase();
    await server.execute(
      url,
      `CREATE TABLE victim (id TEXT PRIMARY KEY);
       CREATE TABLE lease (instance TEXT PRIMARY KEY, epoch BIGINT); INSERT INTO lease VALUES ('i', 1), ('j', 1)`,
    );
    const database = openPostgres({ url, poolSize: 4, fence });
    onTestFinished(() => database.close());
    const readRows = async () =>
      ((await server.execute(url, 'SELECT id FROM victim ORDER BY id')) as { id: string }[]).map(({ id }) => id);
    return { url, database, readRows };
  }
  function withLease(epoch: number) {
    const fence = new LeaseFence();
    fence.nodeId = 'this';
    fence.hold('i', epoch);
    return fence;
  }

  it('writes of one instance in one turn are committed together, and separately from writes of other instances', async () => {
    const { database } = await openDatabase();
    const [first, second, other] = await Promise.all([
      database.transaction(() => insertRow('a'), 'i'),
      database.transaction(() => insertRow('b'), 'i'),
      database.transaction(() => insertRow('c'), 'j'),
    ]);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('writes of one instance that arrive while an earlier transaction runs are committed together', async () => {
    const { database } = await openDatabase();
    let later: Promise<string[]> | undefined;
    const first = await database.transaction(function* (): Work<string> {
      yield 'SELECT 1';
      later ??= Promise.all(['b', 'c'].map((id) => database.transaction(() => insertRow(id), 'i')));
      return yield* insertRow('a');
    }, 'i');
    const [second, third] = (await later) ?? [];
    expect(third).toBe(second);
    expect(second).not.toBe(first);
  });

  it('writes of one instance are stored in the order of the calls, and each call returns its own result', async () => {
    const { database, readRows } = await openDatabase(withLease(1));
    const results = await Promise.all([
      database.write(() => [batch('a')], 'i'),
      database.transaction(function* (): Work<unknown> {
        return yield 'SELECT id FROM victim';
      }, 'i'),
      database.write(() => [batch('b', 'c')], 'i'),
    ]);
    expect(results).toEqual([undefined, [{ id: 'a' }], undefined]);
    expect(await readRows()).toEqual(['a', 'b', 'c']);
  });

  it('a write does not fail when another write of its group fails', async () => {
    const { database, readRows } = await openDatabase(withLease(1));
    const results = await Promise.allSettled([
      database.write(() => [batch('a')], 'i'),
      database.write(() => [batch('a')], 'i'),
      database.transaction(() => insertRow('b'), 'i'),
      database.transaction(function* (): Work<void> {
        yield batch('c');
        throw new TypeError('too deep');
      }, 'i'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(await readRows()).toEqual(['a', 'b']);
  });

  it('all writes of a group are refused with LEASE_LOST when the lease is outdated', async () => {
    const fence = withLease(2);
    const lostInstances: string[] = [];
    fence.onWriteRefused((instance) => lostInstances.push(instance));
    const { database, readRows } = await openDatabase(fence);
    const results = await Promise.allSettled([
      database.write(() => [batch('a')], 'i'),
      database.transaction(() => insertRow('b'), 'i'),
      database.write(() => [batch('c')], 'i'),
    ]);
    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
      Array(3).fill('LEASE_LOST'),
    );
    expect(lostInstances).toEqual(['i']);
    expect(await readRows()).toEqual([]);
  });

  it('the writes of a group are not repeated when their commit is uncertain', async () => {
    const { url, database, readRows } = await openDatabase();
    await server.execute(
      url,
      `CREATE FUNCTION spring() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
       CREATE CONSTRAINT TRIGGER trap AFTER INSERT ON victim DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION spring()`,
    );
    let runs = 0;
    const write = (id: string) =>
      database.transaction(function* (): Work<void> {
        runs += 1;
        yield batch(id);
      }, 'i');
    const results = await Promise.allSettled([write('a'), write('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(runs).toBe(2);
    expect(await readRows()).toEqual([]);
  });
});

describe('two transactions that wait for each other', () => {
  it('two transactions in a deadlock are both committed', async () => {
    const url = await server.createDatabase();
    await server.execute(
      url,
      "CREATE TABLE pair (id TEXT PRIMARY KEY, n INTEGER); INSERT INTO pair VALUES ('a', 0), ('b', 0)",
    );
    const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    // Both transactions stop at this lock until each has changed its first row.
    const gate = new Client({ connectionString: url });
    await gate.connect();
    onTestFinished(() => gate.end());
    await gate.query('SELECT pg_advisory_lock(1)');
    let startCount = 0;
    const increment = (first: string, second: string) =>
      database.transaction(function* (): Work<void> {
        startCount += 1;
        yield "SET LOCAL deadlock_timeout = '20ms'";
        yield `UPDATE pair SET n = n + 1 WHERE id = '${first}'`;
        yield 'SELECT pg_advisory_xact_lock_shared(1)';
        yield `UPDATE pair SET n = n + 1 WHERE id = '${second}'`;
      });
    const increments = Promise.all([increment('a', 'b'), increment('b', 'a')]);
    await waitUntil(async () => {
      const { rowCount } = await gate.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
      return rowCount === 2;
    });
    await gate.query('SELECT pg_advisory_unlock(1)');
    await increments;
    expect(startCount).toBe(3);
    expect(await server.execute(url, 'SELECT n FROM pair')).toEqual([{ n: 2 }, { n: 2 }]);
  });
});

describe('the write probe', () => {
  it('the write probe rejects with the reason while the server is read-only, and succeeds again afterwards', async () => {
    const url = await server.createDatabase();
    const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    await migrate(database, systemClock);
    let now = 0;
    const probe = createWriteProbe(
      () => createMetadata(database),
      () => now,
    );
    await probe.check();
    const setReadOnly = async (value: 'on' | 'off') => {
      const name = url.split('/').at(-1);
      await server.execute(
        url.replace(/[^/]+$/, 'postgres'),
        `ALTER DATABASE ${name} SET default_transaction_read_only = ${value};
         SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      now += 1_000;
    };
    await setReadOnly('on');
    await expect(probe.check()).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      responseMessage: 'The database is not available: it is read-only',
    });
    await setReadOnly('off');
    await expect(probe.check()).resolves.toBeUndefined();
  });
});
