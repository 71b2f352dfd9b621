// Migrates the database to the schema of this release. All missing migrations run in one transaction, on PostgreSQL
// under a lock; there are no downgrades. A database whose schema is too new for this release is rejected.
import type { Clock } from '../lib/clock.ts';
import { MIGRATION_LOCK_SQL } from './advisory-locks.ts';
import { type Database, runQuery, type SqlDialect, type Work } from './database.ts';
import { assertNoForeignTables, findTables } from './foreign-tables.ts';
import { initial } from './migrations/0001-initial.ts';
import { messageSearch } from './migrations/0002-message-search.ts';
import { eventLog } from './migrations/0003-event-log.ts';
import { requests } from './migrations/0004-requests.ts';
import { chats } from './migrations/0005-chats.ts';
import { proxies } from './migrations/0006-proxy.ts';
import { websockets } from './migrations/0007-websocket.ts';
import { access } from './migrations/0008-access.ts';
import { cluster } from './migrations/0009-cluster.ts';
import { usernames } from './migrations/0010-usernames.ts';
import { listIndexes } from './migrations/0011-list-indexes.ts';
import { messageTotals } from './migrations/0012-message-totals.ts';
import { reusedMessageIds } from './migrations/0013-reused-message-ids.ts';
import type { Migration } from './migrations/migration.ts';

const MIGRATIONS: readonly Migration[] = [
  initial,
  messageSearch,
  eventLog,
  requests,
  chats,
  proxies,
  websockets,
  access,
  cluster,
  usernames,
  listIndexes,
  messageTotals,
  reusedMessageIds,
];

/** Schema version of this release. */
export const NEWEST_SCHEMA = newestOf(MIGRATIONS);

/** Names of all tables that the migrations `known` create, and of the table with the schema version. */
function tablesOf(known: readonly Migration[], dialect: SqlDialect): ReadonlySet<string> {
  const statements = known.flatMap((migration) => migration.up(dialect)).join('\n');
  return new Set([
    'schema_version',
    ...Array.from(statements.matchAll(/CREATE TABLE (\w+)/g), ([, name = '']) => name),
  ]);
}

export interface MigrateOptions {
  /** Default: the migrations of this release. */
  migrations?: readonly Migration[];
  /** Whether to create the tables in a database that has only tables of another program. Default true. */
  allowForeignTables?: boolean;
}

/**
 * Applies the missing migrations. Resolves with the names of tables of other programs. Rejects with an Error for the
 * operator when the schema is too new or the database belongs to another program.
 */
export function migrate(
  database: Database,
  clock: Clock,
  { migrations: known = MIGRATIONS, allowForeignTables = true }: MigrateOptions = {},
): Promise<readonly string[]> {
  const build = database.build;
  const own = tablesOf(known, database.dialect);
  return database.transaction(function* (): Work<readonly string[]> {
    if (database.dialect === 'postgres') yield MIGRATION_LOCK_SQL;
    const found = yield* findTables(database, own);
    assertNoForeignTables(found, own, allowForeignTables);
    yield 'CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY, compatible_with BIGINT NOT NULL, applied_at BIGINT NOT NULL)';
    const applied = yield* runQuery(build.selectFrom('schema_version').selectAll());
    const newest = Math.max(0, ...applied.map((row) => row.version));
    const knownNewest = newestOf(known);
    // A newer schema is accepted only if its migrations state in `compatible_with` that this release can still use it.
    if (applied.some((row) => row.version > knownNewest && row.compatible_with > knownNewest)) {
      throw new Error(
        `The database has schema version ${newest} and this gateway knows up to ${knownNewest}: it was used by a newer release. Start that release, or restore a backup from before the upgrade.`,
      );
    }
    for (const migration of known.filter(({ version }) => version > newest)) {
      for (const statement of migration.up(database.dialect)) yield statement;
      const row = {
        version: migration.version,
        compatible_with: migration.compatibleWith,
        applied_at: clock.now(),
      };
      yield* runQuery(build.insertInto('schema_version').values(row));
    }
    // In a database of a newer release, unknown tables can belong to that release.
    return newest > knownNewest ? [] : found.foreign;
  });
}

function newestOf(known: readonly Migration[]): number {
  return Math.max(0, ...known.map((migration) => migration.version));
}
