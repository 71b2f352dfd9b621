// A start that meets no database server: machines start their services in any order, so it waits, says so, and gives up after a while.
import type { BaseLogger } from 'pino';
import { GatewayError } from '../errors.ts';
import { TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import { openStorage, type StorageOptions } from './open.ts';
import type { Storage } from './storage.ts';

/** ms between attempts. */
const PAUSE = 1_000;

/** Names of other programs' tables in one log line. */
const MAX_TABLES = 10;
const SHARED =
  'another program uses this database. Give the gateway a database of its own, or set DATABASE_SHARED=true if it is meant to be shared.';

export interface WaitOptions extends StorageOptions {
  log: Pick<BaseLogger, 'warn' | 'error'>;
  /** ms after which a server that is not there ends the start. */
  wait: number;
}

/**
 * Opens the store, and logs what of it cannot be read. Rejects as openStorage does at once, but for a PostgreSQL server that cannot be
 * reached or is starting: only after `wait` ms, with a sentence for the operator.
 */
export async function openWithRetry({ log, wait, ...options }: WaitOptions): Promise<Storage> {
  const onDamage: StorageOptions['onDamage'] = (damage) => log.error(damage, 'storage.row.unreadable');
  const onForeignTables: StorageOptions['onForeignTables'] = (tables) =>
    log.warn(
      { tables: tables.slice(0, MAX_TABLES), count: tables.length, advice: SHARED },
      'storage.foreign_tables.found',
    );
  const until = Date.now() + wait;
  for (;;) {
    try {
      return await openStorage({ ...options, onDamage, onForeignTables });
    } catch (error) {
      const reason = reasonOf(error);
      if (!options.databaseUrl || reason === undefined) throw error;
      const { host, pathname } = new URL(options.databaseUrl);
      const sentence = `The database ${pathname.slice(1)} at ${host} cannot be used (${reason}).`;
      if (!isAbsent(reason)) throw new Error(`${sentence} Check DATABASE_URL.`, { cause: error });
      if (Date.now() >= until) {
        throw new TemporarilyUnavailableError(
          `${sentence} Start it, or check DATABASE_URL; the start waited ${wait} ms for it.`,
          {
            cause: error,
          },
        );
      }
      log.warn({ reason, until: new Date(until).toISOString() }, 'storage.waiting');
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

/** The code of the system or of the server (SQLSTATE), or the driver's words; undefined when it is not the server's absence or answer. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof GatewayError) || error.code !== 'STORAGE_UNAVAILABLE') return undefined;
  const { cause } = error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** Whether time may help: no answer at all, or one of a server that starts, stops or is full. Wrong passwords, names and certificates stay wrong. */
function isAbsent(reason: string): boolean {
  if (/CERT|SSL|VERIFY|ENOENT/.test(reason)) return false;
  const isAnswer = /^[0-9][0-9A-Z]{4}$/.test(reason);
  return !isAnswer || /^(08|53|57)/.test(reason);
}
