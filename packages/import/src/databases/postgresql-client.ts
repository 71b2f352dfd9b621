// Connects to PostgreSQL servers of other programs.
import { Client } from 'pg';
import { decodeUrlPart } from '../lib/url-part.ts';
import { describeFailure } from './sql-failure.ts';

const TIMEOUT_MS = 30_000;

/**
 * Returns the TLS options for the parameters of a URL. The parameters are those of Prisma, the database library of
 * Evolution API, and `sslmode=verify-…`. Without `sslmode`, or with a mode that permits plain connections, the
 * connection has no TLS. The certificate is checked only with `sslaccept=strict` or `sslmode=verify-…`.
 */
function tlsOf({ searchParams }: URL): false | { rejectUnauthorized: boolean } {
  const mode = searchParams.get('sslmode') ?? 'prefer';
  if (['disable', 'allow', 'prefer'].includes(mode)) return false;
  return { rejectUnauthorized: mode.startsWith('verify') || searchParams.get('sslaccept') === 'strict' };
}

/**
 * Connects to the server of a `postgresql://` URL. Rejects with an Error whose message is for the operator. `title`
 * names the server in messages, without user and password. Queries of the client reject with the error of the driver,
 * also when the server does not answer within `timeoutMs`.
 */
export async function openPostgresClient(
  url: URL,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<{ client: Client; title: string }> {
  const database = decodeUrlPart(url.pathname.slice(1));
  const client = new Client({
    // The parameter `host` has the folder of a Unix socket. In a URL, an IPv6 address has brackets, which are removed.
    host: url.searchParams.get('host') ?? url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 5432),
    user: decodeUrlPart(url.username),
    password: decodeUrlPart(url.password),
    database,
    options: url.searchParams.get('options') ?? undefined,
    ssl: tlsOf(url),
    application_name: 'messaging-gateway-import',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // When the connection breaks between two queries, the next query rejects. Without a listener, the process would end.
  client.on('error', () => undefined);
  const title = `PostgreSQL ${url.hostname}:${url.port || 5432}/${database ?? ''}`;
  try {
    await client.connect();
  } catch (error) {
    throw describeFailure(error, title);
  }
  return { client, title };
}
