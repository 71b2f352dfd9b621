// The conformance suite on a real PostgreSQL server.
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { Batch, Database, Work } from '../../src/storage/database.ts';
import { LeaseFence } from '../../src/storage/lease-fence.ts';
import { createMetadata } from '../../src/storage/metadata.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { createWriteProbe } from '../../src/storage/write-probe.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
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
    poison: async (table, column, value) => {
      await server.execute(databaseUrl, `ALTER TABLE ${table} ADD CONSTRAINT poison CHECK (${column} <> '${value}')`);
    },
    breakDown: async () => {
      await server.execute(
        databaseUrl.replace(/[^/]+$/, 'postgres'),
        `DROP DATABASE ${databaseUrl.split('/').at(-1)} WITH (FORCE)`,
      );
    },
  };
});

describe('a connection that the server ends', () => {
  /** A table of which the first row that is written costs the connection: at the INSERT, or only at the end of its transaction. */
  async function trap(moment: 'IMMEDIATE' | 'DEFERRED') {
    const url = await server.createDatabase();
    await server.execute(
      url,
      `CREATE TABLE victim (id TEXT);
       CREATE SEQUENCE tries;
       CREATE FUNCTION spring() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
         RETURN NEW; END $$;
       CREATE CONSTRAINT TRIGGER trap AFTER INSERT ON victim DEFERRABLE INITIALLY ${moment} FOR EACH ROW EXECUTE FUNCTION spring()`,
    );
    const state = async () =>
      (
        await server.execute(
          url,
          'SELECT last_value::integer AS tries, (SELECT count(*)::integer FROM victim) AS rows FROM tries',
        )
      )[0];
    return { database: opened(url), state };
  }
  function opened(url: string) {
    const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    return database;
  }
  const insert: Batch = {
    statement: {
      name: 'insert_victim',
      sqlite: '',
      postgres: 'INSERT INTO victim SELECT k.* FROM unnest($1::text[]) AS k(id)',
    },
    rows: [['a']],
  };
  const inserting = function* (): Work<void> {
    yield insert;
  };

  it('costs a transaction nothing while none of its statements is in flight', async () => {
    const database = opened(await server.createDatabase());
    const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const pids: unknown[] = [];
    const answered = await database.transaction(function* (): Work<unknown[]> {
      const [row] = (yield 'SELECT pg_backend_pid() AS pid') as { pid: number }[];
      // The answer and the farewell are read in one go: no query waits just then, and only the client gets it.
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
    expect(answered).toEqual([{ two: 2 }]);
    expect(new Set(pids).size).toBe(2);
  });

  it('lets a transaction start again that did not come to its end', async () => {
    const { database, state } = await trap('IMMEDIATE');
    await database.transaction(inserting);
    expect(await state()).toEqual({ tries: 2, rows: 1 });
  });

  it('lets no write start again that may be done', async () => {
    for (const write of [
      (database: Database) => database.transaction(inserting),
      (database: Database) => database.query(insert),
    ]) {
      const { database, state } = await trap('DEFERRED');
      await expect(write(database)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      expect(await state()).toEqual({ tries: 1, rows: 0 });
      await write(database);
      expect(await state()).toEqual({ tries: 2, rows: 1 });
    }
  });

  it('is not kept when a failover left it with a server that takes no writes', async () => {
    const { database, state } = await trap('IMMEDIATE');
    await database.transaction(inserting);
    await database.transaction(function* (): Work<void> {
      yield 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY';
    });
    await database.query(insert);
    expect(await state()).toEqual({ tries: 3, rows: 2 });
  });
});

describe('a transaction that the server rolls back for another', () => {
  /** A database whose first `times` writes to `victim` end in a deadlock, as the server reports one. */
  async function deadlocked(times: number) {
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
    const inserting = function* (): Work<void> {
      yield `INSERT INTO victim VALUES ('a')`;
    };
    const written = async () => (await server.execute(url, 'SELECT count(*)::integer AS rows FROM victim'))[0];
    return { write: () => database.transaction(inserting), written };
  }

  it('is repeated as often as an upgrade of another release can meet it', async () => {
    const { write, written } = await deadlocked(6);
    await write();
    expect(await written()).toEqual({ rows: 1 });
  });

  it('is given up when it never gets through', async () => {
    const { write, written } = await deadlocked(1_000);
    await expect(write()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await written()).toEqual({ rows: 0 });
  });
});

describe('writes of one instance', () => {
  const insertSql = 'INSERT INTO victim SELECT k.* FROM unnest($1::text[]) AS k(id)';
  const insertFenced = `WITH fence AS (SELECT FROM lease WHERE instance = $2 AND epoch = $3 FOR KEY SHARE) ${insertSql}, fence`;
  const batch = (...ids: string[]): Batch => ({
    statement: { name: 'insert_victim', sqlite: '', postgres: insertSql, fenced: insertFenced },
    rows: ids.map((id) => [id]),
  });
  function* inserting(id: string): Work<string> {
    yield batch(id);
    const [row] = (yield 'SELECT pg_current_xact_id()::text AS transaction') as { transaction: string }[];
    return row?.transaction ?? '';
  }

  async function opened(fence = new LeaseFence()) {
    const url = await server.createDatabase();
    await server.execute(
      url,
      `CREATE TABLE victim (id TEXT PRIMARY KEY);
       CREATE TABLE lease (instance TEXT PRIMARY KEY, epoch BIGINT); INSERT INTO lease VALUES ('i', 1), ('j', 1)`,
    );
    const database = openPostgres({ url, poolSize: 4, fence });
    onTestFinished(() => database.close());
    const written = async () =>
      ((await server.execute(url, 'SELECT id FROM victim ORDER BY id')) as { id: string }[]).map(({ id }) => id);
    return { url, database, written };
  }
  function withLease(epoch: number) {
    const fence = new LeaseFence();
    fence.nodeId = 'this';
    fence.hold('i', epoch);
    return fence;
  }

  it('are committed together when they arrive in one turn, and apart from those of other instances', async () => {
    const { database } = await opened();
    const [first, second, other] = await Promise.all([
      database.transaction(() => inserting('a'), 'i'),
      database.transaction(() => inserting('b'), 'i'),
      database.transaction(() => inserting('c'), 'j'),
    ]);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('are committed together when they arrive while an earlier one runs', async () => {
    const { database } = await opened();
    let later: Promise<string[]> | undefined;
    const first = await database.transaction(function* (): Work<string> {
      yield 'SELECT 1';
      later ??= Promise.all(['b', 'c'].map((id) => database.transaction(() => inserting(id), 'i')));
      return yield* inserting('a');
    }, 'i');
    const [second, third] = (await later) ?? [];
    expect(third).toBe(second);
    expect(second).not.toBe(first);
  });

  it('are stored in the order of their calls, and each returns its own rows', async () => {
    const { database, written } = await opened(withLease(1));
    const results = await Promise.all([
      database.write(() => [batch('a')], 'i'),
      database.transaction(function* (): Work<unknown> {
        return yield 'SELECT id FROM victim';
      }, 'i'),
      database.write(() => [batch('b', 'c')], 'i'),
    ]);
    expect(results).toEqual([undefined, [{ id: 'a' }], undefined]);
    expect(await written()).toEqual(['a', 'b', 'c']);
  });

  it('do not fail because another one of the group does', async () => {
    const { database, written } = await opened(withLease(1));
    const results = await Promise.allSettled([
      database.write(() => [batch('a')], 'i'),
      database.write(() => [batch('a')], 'i'),
      database.transaction(() => inserting('b'), 'i'),
      database.transaction(function* (): Work<void> {
        yield batch('c');
        throw new TypeError('too deep');
      }, 'i'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(await written()).toEqual(['a', 'b']);
  });

  it('are all refused when the lease is outdated', async () => {
    const fence = withLease(2);
    const lost: string[] = [];
    fence.onWriteRefused((instance) => lost.push(instance));
    const { database, written } = await opened(fence);
    const results = await Promise.allSettled([
      database.write(() => [batch('a')], 'i'),
      database.transaction(() => inserting('b'), 'i'),
      database.write(() => [batch('c')], 'i'),
    ]);
    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
      Array(3).fill('LEASE_LOST'),
    );
    expect(lost).toEqual(['i']);
    expect(await written()).toEqual([]);
  });

  it('are not repeated when their commit is uncertain', async () => {
    const { url, database, written } = await opened();
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
    expect(await written()).toEqual([]);
  });
});

describe('two transactions that wait for each other', () => {
  it('both come to their end', async () => {
    const url = await server.createDatabase();
    await server.execute(
      url,
      "CREATE TABLE pair (id TEXT PRIMARY KEY, n INTEGER); INSERT INTO pair VALUES ('a', 0), ('b', 0)",
    );
    const database = openPostgres({ url, poolSize: 2, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    let began = 0;
    const add = (first: string, second: string) =>
      database.transaction(function* (): Work<void> {
        began += 1;
        yield "SET LOCAL deadlock_timeout = '20ms'";
        yield `UPDATE pair SET n = n + 1 WHERE id = '${first}'`;
        yield 'SELECT pg_sleep(0.2)';
        yield `UPDATE pair SET n = n + 1 WHERE id = '${second}'`;
      });
    await Promise.all([add('a', 'b'), add('b', 'a')]);
    expect(began).toBe(3);
    expect(await server.execute(url, 'SELECT n FROM pair')).toEqual([{ n: 2 }, { n: 2 }]);
  });
});

describe('the write probe', () => {
  it('fails on a server that became read-only, says so, and succeeds again after it', async () => {
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
