// Detects tables of other programs in the database, so that the gateway does not start on the database of another
// program, for example because an old .env file names it. Decision D-158.
import type { Database, Work } from './database.ts';

export interface ForeignTables {
  /** Whether the database has tables of the gateway. */
  hasGatewayTables: boolean;
  /**
   * Tables of other programs: all tables when the database has none of the gateway, otherwise those that this release
   * does not create. The name of a table outside the current schema includes the schema.
   */
  foreign: readonly string[];
}

/** The table and column by which a database of the gateway is recognized. */
const GATEWAY_TABLE = { table: 'schema_version', column: 'compatible_with' };

/**
 * Lists the tables in the current schema. When that schema is `public`, also lists tables of the same user in other
 * schemas: the URL of another program can name its schema in a parameter (`?schema=…`). PostgreSQL ignores this
 * parameter, so a gateway with the same URL uses `public`. Includes partitioned tables (`relkind` p). Excludes tables
 * of extensions (`deptype` e).
 */
const POSTGRES_TABLES_SQL = `
  SELECT CASE WHEN n.nspname = current_schema() THEN c.relname ELSE n.nspname || '.' || c.relname END AS name,
    n.nspname = current_schema() AND c.relname = '${GATEWAY_TABLE.table}' AND EXISTS (SELECT FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attname = '${GATEWAY_TABLE.column}' AND NOT a.attisdropped) AS is_gateway_table
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND (n.nspname = current_schema() OR (current_schema() = 'public' AND pg_get_userbyid(c.relowner) = current_user))
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 1`;

const SQLITE_TABLES_SQL = `
  SELECT name, name = '${GATEWAY_TABLE.table}' AND EXISTS (SELECT 1 FROM pragma_table_info('${GATEWAY_TABLE.table}') WHERE name = '${GATEWAY_TABLE.column}') AS is_gateway_table
  FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name`;

/** Finds the tables of other programs. `own` are the names of all tables that this release creates. */
export function* findTables({ dialect }: Pick<Database, 'dialect'>, own: ReadonlySet<string>): Work<ForeignTables> {
  const found = (yield dialect === 'postgres' ? POSTGRES_TABLES_SQL : SQLITE_TABLES_SQL) as {
    name: string;
    is_gateway_table: boolean | number;
  }[];
  const hasGatewayTables = found.some(({ is_gateway_table }) => Boolean(is_gateway_table));
  const isForeign = ({ name }: { name: string }) => !hasGatewayTables || !own.has(name);
  return { hasGatewayTables, foreign: found.filter(isForeign).map(({ name }) => name) };
}

/**
 * Does nothing when the database has tables of the gateway or no tables at all. Otherwise it throws an Error for the
 * operator, unless `allowForeignTables` is true and no table has a name that the gateway needs.
 */
export function assertNoForeignTables(
  { hasGatewayTables, foreign }: ForeignTables,
  own: ReadonlySet<string>,
  allowForeignTables: boolean,
): void {
  if (hasGatewayTables || foreign.length === 0) return;
  const conflicting = foreign.filter((name) => own.has(name));
  if (conflicting.length > 0 && allowForeignTables) {
    throw new Error(
      `The database has tables of another program under names that the gateway needs (${joinNames(conflicting)}). Give the gateway a database of its own (DATABASE_URL or DATABASE_CONNECTION_URI), or a schema of its own.`,
    );
  }
  if (allowForeignTables) return;
  throw new Error(
    `The database has tables of another program (${joinNames(foreign)}) and none of the gateway. Give the gateway a database of its own (DATABASE_URL or DATABASE_CONNECTION_URI), or set DATABASE_SHARED=true to create its tables beside them.`,
  );
}

/** Maximum number of table names in an error text. */
const MAX_LISTED = 3;

function joinNames(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
