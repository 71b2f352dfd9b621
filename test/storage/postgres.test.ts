// The conformance suite on a real PostgreSQL server.
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
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
