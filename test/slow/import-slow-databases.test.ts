// Databases that accept a query and do not answer it: the run ends with an error.
import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlReader } from '../../packages/import/src/sql-reader.ts';
import { openPostgres } from '../../packages/import/src/whatsmeow/database.ts';
import { describeWithServices, MARIADB_URL } from '../support/services.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const timeoutMs = 500;
const IN_TIME = 'The server does not answer in time: ';
const query = { table: 'Instance', columns: ['id'], limit: 1 };

/** A database of PostgreSQL with the table Instance, which another client has locked. */
async function lockedPostgres(): Promise<string> {
  const url = await sharedPostgres().createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('CREATE TABLE "Instance" (id text)');
  await client.query('BEGIN');
  await client.query('LOCK TABLE "Instance" IN ACCESS EXCLUSIVE MODE');
  return url;
}

it('PostgreSQL of Evolution API', async () => {
  const reader = await openSqlReader(await lockedPostgres(), { timeoutMs });
  await expect(reader.select(query)).rejects.toThrow(`${IN_TIME}PostgreSQL`);
  await reader.close();
});

it('PostgreSQL of whatsmeow', async () => {
  const database = await openPostgres(await lockedPostgres(), { timeoutMs });
  await expect(database.all('SELECT id FROM "Instance"')).rejects.toThrow(`${IN_TIME}PostgreSQL`);
  await database.close();
});

await describeWithServices(['MariaDB'], 'MySQL', () => {
  it('of Evolution API', async () => {
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
    await expect(reader.select(query)).rejects.toThrow(`${IN_TIME}MySQL`);
    await expect(reader.select(query), 'the next one').rejects.toThrow('The connection or a query failed: MySQL');
    await reader.close();
  });
});
