// Servers that tests of the import need besides PostgreSQL, which the tests start (shared-postgres.ts). .ci/run sets
// TEST_SERVICES=all, with which a missing server is an error. Without it, the tests that need a missing server are
// skipped, and their title has the reason.
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe } from 'vitest';

const HOST = '127.0.0.1';
const PORTS = { MariaDB: 3306, Redis: 6379 } as const;
export type ServiceName = keyof typeof PORTS;

/**
 * URLs without a database of a test. With MariaDB, a test appends its own database. With Redis, it uses its own keys.
 */
export const MARIADB_URL = `mysql://root@${HOST}:${PORTS.MariaDB}`;
export const REDIS_URL = `redis://${HOST}:${PORTS.Redis}/0`;

async function listens(port: number): Promise<boolean> {
  const socket = connect({ host: HOST, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** "no MariaDB on 127.0.0.1:3306" for the services that are missing, or undefined. */
export async function findMissing(names: readonly ServiceName[]): Promise<string | undefined> {
  const missing: string[] = [];
  for (const name of names) if (!(await listens(PORTS[name]))) missing.push(`no ${name} on ${HOST}:${PORTS[name]}`);
  return missing.length > 0 ? missing.join(', ') : undefined;
}

/**
 * Declares tests that need servers, with `await` at the top of a test file. Throws for a missing server when
 * TEST_SERVICES is `all`; otherwise the tests are skipped.
 */
export async function describeWithServices(
  names: readonly ServiceName[],
  title: string,
  declare: () => void,
): Promise<void> {
  const missing = await findMissing(names);
  if (missing !== undefined && process.env.TEST_SERVICES === 'all')
    throw new Error(`TEST_SERVICES=all, but ${missing}.`);
  describe.skipIf(missing !== undefined)(missing === undefined ? title : `${title} (skipped: ${missing})`, declare);
}
