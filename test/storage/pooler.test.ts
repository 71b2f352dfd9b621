// The stores behind a pooler in transaction mode, where each transaction can run on another server connection.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { type Pooler, startPooler } from '../support/pooler.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { useAllStores } from './use-all-stores.ts';

const server = sharedPostgres();
let pooler: Pooler;
beforeAll(async () => {
  pooler = await startPooler(2);
});
afterAll(async () => {
  await pooler.close();
});

describe('the pooler of these tests', () => {
  it('the pooler of these tests assigns server connections per transaction and keeps no state per client', async () => {
    const url = pooler.urlOf(await server.createDatabase());
    const clients = [0, 1, 2].map(() => new pg.Client(url));
    await Promise.all(clients.map((client) => client.connect()));
    const [first, second, third] = clients as [pg.Client, pg.Client, pg.Client];
    const pid = async (client: pg.Client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    const named = { name: 'n', text: 'SELECT $1::int AS n', values: [1] };
    await first.query('BEGIN');
    const firstPid = await pid(first);
    await second.query(named);
    expect(await pid(second)).not.toBe(firstPid);
    expect(await pid(first)).toBe(firstPid);
    await expect(third.query(named)).rejects.toMatchObject({ code: '42P05' });
    await second.query('SET statement_timeout = 1234');
    expect((await third.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '1234ms' }]);
    await second.query('BEGIN');
    await first.query('COMMIT');
    await expect(third.query({ ...named, name: 'm' })).resolves.toMatchObject({ rows: [{ n: 1 }] });
    await second.query('COMMIT');
    await expect(second.query(named)).rejects.toMatchObject({ code: '26000' });
    const strict = new pg.Client({ connectionString: url, statement_timeout: 1000 });
    await expect(strict.connect()).rejects.toThrow('unsupported startup parameter: statement_timeout');
    await Promise.all(clients.map((client) => client.end()));
  });
});

describe('stores behind a pooler', () => {
  async function openNode(url: string) {
    const encryptionKey = Buffer.alloc(32, 1).toString('base64');
    const storage = await openStorage({ dataDir: ':memory:', databaseUrl: url, network: 'sandbox', encryptionKey });
    onTestFinished(() => storage.close());
    // After join(), every write checks its lease.
    await storage.leases?.join({ name: randomUUID(), url: 'http://127.0.0.1:1', version: '0.0.0', capacity: 0 });
    return storage;
  }
  /** Two nodes use all stores, each for two instances at the same time. */
  async function runTwoNodes(url: string): Promise<void> {
    const storages = [await openNode(url), await openNode(url)];
    const before = pooler.switches;
    await Promise.all(
      storages.flatMap((storage, index) => ['a', 'b'].map((id) => useAllStores(storage, `${id}${index}`))),
    );
    expect(pooler.switches - before).toBeGreaterThan(20);
  }

  it('the stores work behind a pooler in transaction mode', async () => {
    await runTwoNodes(pooler.urlOf(await server.createDatabase()));
  });

  it('the stores prepare no statements when DATABASE_URL contains pgbouncer=true', async () => {
    const before = pooler.prepared;
    await runTwoNodes(`${pooler.urlOf(await server.createDatabase())}?pgbouncer=true`);
    expect(pooler.prepared).toBe(before);
  });
});
