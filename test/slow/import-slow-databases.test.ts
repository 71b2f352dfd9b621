// Databases that accept a query and do not answer it in time. The query then fails with an error.
import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlReader } from '../../packages/import/src/databases/sql-reader.ts';
import { openPostgres } from '../../packages/import/src/whatsmeow/database.ts';
import { describeWithServices, MARIADB_URL } from '../support/services.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const timeoutMs = 500;
const TIMEOUT_MESSAGE = 'The server does not answer in time: ';
const query = { table: 'Instance', columns: ['id'], limit: 1 };

/** Creates a PostgreSQL database with the table Instance, which another client locks. Resolves with its URL. */
async function createLockedDatabase(): Promise<string> {
  const url = await sharedPostgres().createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('CREATE TABLE "Instance" (id text)');
  await client.query('BEGIN');
  await client.query('LOCK TABLE "Instance" IN ACCESS EXCLUSIVE MODE');
  return url;
}

it('select() rejects a query that PostgreSQL does not answer in time', async () => {
  const reader = await openSqlReader(await createLockedDatabase(), { timeoutMs });
  await expect(reader.select(query)).rejects.toThrow(`${TIMEOUT_MESSAGE}PostgreSQL`);
  await reader.close();
});

it('all() of a whatsmeow database rejects a query that PostgreSQL does not answer in time', async () => {
  const database = await openPostgres(await createLockedDatabase(), { timeoutMs });
  await expect(database.all('SELECT id FROM "Instance"')).rejects.toThrow(`${TIMEOUT_MESSAGE}PostgreSQL`);
  await database.close();
});

await describeWithServices(['MariaDB'], 'MySQL', () => {
  it('select() rejects a query that MySQL does not answer in time, and every later query', async () => {
    const name = `slow_${randomUUID().replaceAll('-', '')}`;
    const client = await createConnection(MARIADB_URL);
    onTestFinished(async () => {
      await client.query('UNLOCK TABLES');
      await client.query(`DROP DATABASE ${name}`);
      await client.end();
    });
    await client.query(`CREATE DATABASE ${name}`);
    await client.query(`CREATE TABLE ${name}.Instance (id varchar(100))`);
    const reader = await openSqlReader(`${MARIADB_URL}/${name}`, { timeoutMs });
    await client.query(`LOCK TABLES ${name}.Instance WRITE`);
    await expect(reader.select(query)).rejects.toThrow(`${TIMEOUT_MESSAGE}MySQL`);
    await expect(reader.select(query), 'the next one').rejects.toThrow('The connection or a query failed: MySQL');
    await reader.close();
  });
});
