// The conformance suite on a real PostgreSQL server.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Work } from '../../src/storage/database.ts';
import { Fence } from '../../src/storage/fence.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { conformance } from './conformance.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

conformance('PostgreSQL', async () => {
  const databaseUrl = await server.createDatabase();
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
  it('costs the work that was using it and nothing else', async () => {
    const database = openPostgres({ url: await server.createDatabase(), poolSize: 2, fence: new Fence() });
    onTestFinished(() => database.close());
    const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const cut = database.transaction(function* (): Work<void> {
      const [row] = (yield 'SELECT pg_backend_pid() AS pid') as { pid: number }[];
      // The answer and the farewell are read in one go: nobody is asking just then, and nobody but the client hears it.
      setImmediate(() => {
        block(50);
        process.kill(row?.pid ?? 0, 'SIGTERM');
        block(100);
      });
      yield 'SELECT 1';
      yield 'SELECT 2';
    });
    await expect(cut).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const answered = database.transaction(function* (): Work<unknown[]> {
      return yield 'SELECT 1 AS one';
    });
    expect(await answered).toEqual([{ one: 1 }]);
  });
});
