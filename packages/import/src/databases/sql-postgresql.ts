// Implements SqlDriver, the interface through which sql-reader.ts reads a database, for PostgreSQL.
import { openPostgresClient } from './postgresql-client.ts';
import type { SqlDriver } from './sql-driver.ts';
import { describeFailure } from './sql-failure.ts';

/**
 * Connects to the schema in `?schema=` of the URL, or to `public`. Rejects with an Error whose message is for the
 * operator.
 */
export async function openPostgres(url: URL, options: { timeoutMs?: number } = {}): Promise<SqlDriver> {
  const schema = url.searchParams.get('schema') ?? 'public';
  const { client, title } = await openPostgresClient(url, options);
  const quote = (name: string) => client.escapeIdentifier(name);
  return {
    title,
    sqlTextType: 'text',
    columnsSql:
      'SELECT table_name AS t, column_name AS c FROM information_schema.columns ' +
      `WHERE table_schema = ${client.escapeLiteral(schema)} ORDER BY table_name, column_name`,
    // backend_type is null for connections that this user may not inspect. They count as clients.
    otherClientsSql:
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ' +
      "AND coalesce(backend_type, 'client backend') = 'client backend'",
    quote,
    placeholder: (index) => `$${index}`,
    async run(sql, values) {
      try {
        await client.query('BEGIN TRANSACTION READ ONLY');
        // LOCAL ends the setting with the transaction, because a connection pooler may then give the connection to
        // another client.
        await client.query(`SET LOCAL search_path TO ${quote(schema)}`);
        const { rows }: { rows: unknown[] } = await client.query(sql, [...values]);
        await client.query('COMMIT');
        return rows;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined);
        throw describeFailure(error, title);
      }
    },
    close: () => client.end(),
  };
}
