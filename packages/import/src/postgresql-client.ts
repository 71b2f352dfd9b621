// Connects to PostgreSQL servers of other programs.
import { Client } from 'pg';
import { describeFailure } from './sql-failure.ts';
import { decodeUrlPart } from './url-part.ts';

const TIMEOUT_MS = 30_000;

/** TLS as Prisma's parameters ask for it. Like Prisma, a certificate is only checked with `sslaccept=strict`. */
function tlsOf({ searchParams }: URL): false | { rejectUnauthorized: boolean } {
  const mode = searchParams.get('sslmode') ?? 'prefer';
  if (['disable', 'allow', 'prefer'].includes(mode)) return false;
  return { rejectUnauthorized: mode.startsWith('verify') || searchParams.get('sslaccept') === 'strict' };
}

/**
 * Connects to the server of a `postgresql://` URL. `title` names it for messages, without user and password. Rejects
 * with an Error for the operator. Queries reject with the error of the driver, also when the server does not answer
 * within `timeoutMs`.
 */
export async function connectPostgres(
  url: URL,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<{ client: Client; title: string }> {
  const database = decodeUrlPart(url.pathname.slice(1));
  const client = new Client({
    // A folder with the socket of the server is a parameter.
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
  // A connection that breaks between two queries rejects the next one; without a listener it would end the process.
  client.on('error', () => undefined);
  const title = `PostgreSQL ${url.hostname}:${url.port || 5432}/${database ?? ''}`;
  try {
    await client.connect();
  } catch (error) {
    throw describeFailure(error, title);
  }
  return { client, title };
}
