// Detects tables of other programs in the database, so that the gateway does not start on a database that an old .env still names.
import type { Database, Work } from './database.ts';

export interface ForeignTables {
  /** Whether the database has tables of the gateway. */
  hasOurs: boolean;
  /** Tables that no release of the gateway creates, with their schema when it is another one. */
  foreign: readonly string[];
}

/** A table and column that identify a database of the gateway. */
const OURS = { table: 'schema_version', column: 'compatible_with' };

/**
 * Lists the tables in the current schema. When that is `public`, it also lists tables of the same user in other schemas, because URLs of
 * other programs name their schema in a parameter (`?schema=…`) that PostgreSQL ignores. Tables of extensions are left out.
 */
const POSTGRES = `
  SELECT CASE WHEN n.nspname = current_schema() THEN c.relname ELSE n.nspname || '.' || c.relname END AS name,
    n.nspname = current_schema() AND c.relname = '${OURS.table}' AND EXISTS (SELECT FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attname = '${OURS.column}' AND NOT a.attisdropped) AS mark
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND (n.nspname = current_schema() OR (current_schema() = 'public' AND pg_get_userbyid(c.relowner) = current_user))
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 1`;

const SQLITE = `
  SELECT name, name = '${OURS.table}' AND EXISTS (SELECT 1 FROM pragma_table_info('${OURS.table}') WHERE name = '${OURS.column}') AS mark
  FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name`;

/** Lists the foreign tables of the database. `own` are the names of all tables that the gateway creates. */
export function* findTables({ dialect }: Pick<Database, 'dialect'>, own: ReadonlySet<string>): Work<ForeignTables> {
  const found = (yield dialect === 'postgres' ? POSTGRES : SQLITE) as { name: string; mark: boolean | number }[];
  const hasOurs = found.some(({ mark }) => Boolean(mark));
  const isForeign = ({ name }: { name: string }) => !hasOurs || !own.has(name);
  return { hasOurs, foreign: found.filter(isForeign).map(({ name }) => name) };
}

/**
 * Throws an Error for the operator when the database has tables of another program and none of the gateway, unless `isShared`, and when a
 * foreign table has a name that the gateway needs.
 */
export function assertNoForeignTables(
  { hasOurs, foreign }: ForeignTables,
  own: ReadonlySet<string>,
  isShared: boolean,
): void {
  if (hasOurs || foreign.length === 0) return;
  const taken = foreign.filter((name) => own.has(name));
  if (taken.length > 0 && isShared) {
    throw new Error(
      `The database has tables of another program under names that the gateway needs (${listed(taken)}). Give the gateway a database of its own (DATABASE_URL, also given as DATABASE_CONNECTION_URI), or a schema of its own.`,
    );
  }
  if (isShared) return;
  throw new Error(
    `The database has tables of another program (${listed(foreign)}) and none of the gateway. Give the gateway a database of its own (DATABASE_URL, also given as DATABASE_CONNECTION_URI), or set DATABASE_SHARED=true to create its tables beside them.`,
  );
}

const LISTED = 3;

function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  return names.slice(0, LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
