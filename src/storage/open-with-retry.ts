// Opens the storage. If the PostgreSQL server is not up yet, waits for it, because machines start their services in
// any order. Decision D-100.
import type { BaseLogger } from 'pino';
import { hasCode } from '../errors.ts';
import { isObject } from '../lib/json-object.ts';
import { TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import { openStorage, type StorageOptions } from './open.ts';
import type { Storage } from './storage.ts';

/** ms to wait between two attempts. */
const RETRY_INTERVAL_MS = 1_000;

/** Maximum number of tables of other programs that one log line lists. */
const MAX_LOGGED_TABLES = 10;
const SHARED_DATABASE_ADVICE =
  'another program uses this database. Give the gateway a database of its own, or set DATABASE_SHARED=true if it is meant to be shared.';

export interface RetryOptions extends StorageOptions {
  log: Pick<BaseLogger, 'warn' | 'error'>;
  /** Maximum number of ms to wait for the server. */
  maxWaitMs: number;
}

/**
 * Opens the storage. Logs which values cannot be decrypted, and which tables belong to other programs. Rejects as
 * openStorage does, and with an Error for the operator when the PostgreSQL server cannot be used. While the server is
 * unreachable or starting, retries for up to `maxWaitMs` before it rejects.
 */
export async function openWithRetry({ log, maxWaitMs, ...options }: RetryOptions): Promise<Storage> {
  const onDamage: StorageOptions['onDamage'] = (damage) => log.error(damage, 'storage.decryption.failed');
  const onForeignTables: StorageOptions['onForeignTables'] = (tables) =>
    log.warn(
      { tables: tables.slice(0, MAX_LOGGED_TABLES), count: tables.length, advice: SHARED_DATABASE_ADVICE },
      'storage.foreign_tables.found',
    );
  const until = Date.now() + maxWaitMs;
  for (;;) {
    try {
      return await openStorage({ ...options, onDamage, onForeignTables });
    } catch (error) {
      const reason = reasonOf(error);
      if (!options.databaseUrl || reason === undefined) throw error;
      const { host, pathname } = new URL(options.databaseUrl);
      const summary = `The database ${pathname.slice(1)} at ${host} cannot be used (${reason}).`;
      if (!isMissingSocket(error) && !canRecover(reason))
        throw new Error(`${summary} Check DATABASE_URL.`, { cause: error });
      if (Date.now() >= until) {
        const advice = `Start it, or check DATABASE_URL; the start waited ${maxWaitMs} ms for it.`;
        throw new TemporarilyUnavailableError(`${summary} ${advice}`, { cause: error });
      }
      log.warn({ reason, until: new Date(until).toISOString() }, 'storage.open.retried');
      await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
    }
  }
}

/** The system code, the SQLSTATE or the message of the driver; undefined for an error that is not from the database. */
function reasonOf(error: unknown): string | undefined {
  if (!hasCode(error, 'STORAGE_UNAVAILABLE')) return undefined;
  const { cause } = error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** Whether the socket file of a server on this machine does not exist. It exists only while the server runs. */
const isMissingSocket = (error: unknown): boolean =>
  error instanceof Error && isObject(error.cause) && error.cause.syscall === 'connect' && error.cause.code === 'ENOENT';

/**
 * Whether the failure can end without a change by the operator: the server does not respond, or it is starting,
 * stopping or full. A wrong password, name or certificate does not correct itself.
 */
function canRecover(reason: string): boolean {
  // ENOENT: a file that DATABASE_URL names, such as a certificate, does not exist.
  if (/CERT|SSL|VERIFY|ENOENT/.test(reason)) return false;
  const isSqlState = /^[0-9][0-9A-Z]{4}$/.test(reason);
  // The SQLSTATE classes connection exception, insufficient resources and operator intervention.
  return !isSqlState || /^(08|53|57)/.test(reason);
}
