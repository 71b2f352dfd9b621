// Implements SqlDriver, the interface through which sql-reader.ts reads a database, for MySQL and MariaDB.
import { connect } from 'node:net';
import { createConnection } from 'mysql2/promise';
import { decodeUrlPart } from '../lib/url-part.ts';
import type { SqlDriver } from './sql-driver.ts';
import { describeFailure, isTimeout } from './sql-failure.ts';

/** Default of the maximum wait for the connection and for each query. */
const TIMEOUT_MS = 30_000;

/**
 * Returns the TLS options for the parameters of a URL. The URL has the form of Prisma, the database library of
 * Evolution API. Undefined means a connection without TLS. `sslaccept` requires TLS, and its value `strict` also
 * requires a valid certificate. Without `sslaccept`, the mode `prefer` (TLS if the server has it) means no TLS, because
 * mysql2 with TLS options does not fall back to a connection without TLS.
 */
function tlsOf({ searchParams }: URL): { rejectUnauthorized: boolean } | undefined {
  const accept = searchParams.get('sslaccept');
  const mode = searchParams.get('sslmode') ?? 'prefer';
  if (accept === null && ['disable', 'prefer'].includes(mode)) return undefined;
  return { rejectUnauthorized: accept === 'strict' };
}

/** Connects to the database of the URL. Rejects with an Error whose text is for the operator. */
export async function openMysql(url: URL, { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}): Promise<SqlDriver> {
  // Removes the brackets that an IPv6 address has in a URL.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || 3306);
  const database = decodeUrlPart(url.pathname.slice(1)) ?? '';
  const title = `MySQL ${url.hostname}:${port}/${database}`;
  // This function opens the socket for mysql2, because it must destroy a connection that does not answer: destroy() of
  // mysql2 only ends the socket.
  const socket = connect({ host, port });
  const connection = await createConnection({
    host,
    port,
    stream: socket,
    user: decodeUrlPart(url.username),
    password: decodeUrlPart(url.password),
    database,
    ssl: tlsOf(url),
    charset: 'utf8mb4',
    connectTimeout: timeoutMs,
  }).catch((error: unknown) => {
    socket.destroy();
    throw describeFailure(error, title);
  });
  // When the connection breaks between two queries, the next query rejects. Without a listener, the process would end.
  connection.on('error', () => undefined);
  const query = async (sql: string, values: readonly string[] = []): Promise<unknown[]> => {
    const [rows] = await connection.query({ sql, values: [...values], timeout: timeoutMs });
    return Array.isArray(rows) ? rows : [];
  };
  return {
    title,
    sqlTextType: 'CHAR',
    columnsSql:
      'SELECT TABLE_NAME AS t, COLUMN_NAME AS c FROM information_schema.COLUMNS ' +
      'WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, COLUMN_NAME',
    otherClientsSql: 'SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()',
    quote: (name) => `\`${name.replaceAll('`', '``')}\``,
    placeholder: () => '?',
    async run(sql, values) {
      try {
        await query('START TRANSACTION READ ONLY');
        const rows = await query(sql, values);
        await query('COMMIT');
        return rows;
      } catch (error) {
        // After a timeout, every further statement would wait until the server answers the statement that timed out.
        if (isTimeout(error)) socket.destroy();
        else await query('ROLLBACK').catch(() => undefined);
        throw describeFailure(error, title);
      }
    },
    async close() {
      await connection.end();
      socket.destroy();
    },
  };
}
