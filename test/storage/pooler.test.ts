// The stores behind a pooler in transaction mode, where nothing that a connection keeps is there the next time.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { type Pooler, startPooler } from '../support/pooler.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { walk } from './walk.ts';

const server = sharedPostgres();
let pooler: Pooler;
beforeAll(async () => {
  pooler = await startPooler(2);
});
afterAll(async () => {
  await pooler.close();
});

describe('the pooler of these tests', () => {
  it('is one that keeps nothing for a client between its transactions', async () => {
    const url = pooler.urlOf(await server.createDatabase());
    const clients = [0, 1, 2].map(() => new pg.Client(url));
    await Promise.all(clients.map((client) => client.connect()));
    const [first, second, third] = clients as [pg.Client, pg.Client, pg.Client];
    const pid = async (client: pg.Client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    const named = { name: 'n', text: 'SELECT $1::int AS n', values: [1] };
    await first.query('BEGIN');
    const held = await pid(first);
    await second.query(named);
    expect(await pid(second)).not.toBe(held);
    expect(await pid(first)).toBe(held);
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

describe('stores behind it', () => {
  async function opened(url: string) {
    const encryptionKey = Buffer.alloc(32, 1).toString('base64');
    const storage = await openStorage({ dataDir: ':memory:', databaseUrl: url, network: 'sandbox', encryptionKey });
    onTestFinished(() => storage.close());
    // What is written is checked for its lease on the way.
    await storage.leases?.join({ name: randomUUID(), url: 'http://127.0.0.1:1', version: '0.0.0', capacity: 0 });
    return storage;
  }
  /** Two processes, each at work for two instances at once. */
  async function work(url: string): Promise<void> {
    const storages = [await opened(url), await opened(url)];
    const before = pooler.switches;
    await Promise.all(storages.flatMap((storage, index) => ['a', 'b'].map((id) => walk(storage, `${id}${index}`))));
    expect(pooler.switches - before).toBeGreaterThan(20);
  }

  it('work as without it', async () => {
    await work(pooler.urlOf(await server.createDatabase()));
  });

  it('prepare no statements when the address says that it is there', async () => {
    const before = pooler.prepared;
    await work(`${pooler.urlOf(await server.createDatabase())}?pgbouncer=true`);
    expect(pooler.prepared).toBe(before);
  });
});
