// Creates installations of Evolution API 2, and opens them as sources of the import program. The end of the test closes
// and removes them.
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Source, SourceOptions } from '../../packages/import/src/session/source.ts';
import { openEvolution } from '../../packages/import/src/sources/evolution.ts';
import { type Database, type Installation2, installEvolution2 } from './evolution-installation.ts';
import type { InstanceRow, Version } from './evolution-tables.ts';
import { REDIS_URL } from './services.ts';
import { sharedPostgres } from './shared-postgres.ts';

/** The phone number of the instance `shop`. */
export const SHOP_NUMBER = '15550004001';

/** A row of the table Instance, with a new id. */
export const instanceRow = (fields: Partial<InstanceRow> = {}): InstanceRow => ({
  id: randomUUID(),
  name: 'shop',
  connectionStatus: 'close',
  integration: 'WHATSAPP-BAILEYS',
  token: 'key-of-shop',
  number: SHOP_NUMBER,
  ownerJid: `${SHOP_NUMBER}@s.whatsapp.net`,
  ...fields,
});

/** Creates an empty installation. The end of the test removes it. */
export async function install(database: Database, version?: Version): Promise<Installation2> {
  const installation = await installEvolution2(database, sharedPostgres(), version);
  onTestFinished(installation.remove);
  return installation;
}

/**
 * Opens all stores of the installation. `options` replaces stores. A store with the value undefined is left out. The
 * end of the test closes the stores.
 */
export async function openInstallation(
  { url, prefix, folder }: Installation2,
  options: SourceOptions = {},
): Promise<Source> {
  const source = await openEvolution({
    database: url,
    redis: REDIS_URL,
    redisPrefix: prefix,
    path: folder,
    ...options,
  });
  onTestFinished(() => source.close());
  return source;
}
