// Reads the rows of one device in the tables of whatsmeow, in pages and with a limit for the size of every value.
import type { Dropped } from '../../../../src/session-bundle/bundle.ts';
import type { Database, Parameter, Row } from './database.ts';

const ROWS_PER_PAGE = 1000;
/** The maximum number of keys of a session bundle. */
export const MAX_KEYS = 100_000;
/** Maximum length of a value in a primary key, characters. */
const MAX_KEY_LENGTH = 256;
/** The reason for dropping rows that cannot be read. */
export const DAMAGED = 'The rows are damaged.';

export interface TableQuery {
  name: string;
  /** The column with the JID of the device; undefined for a table that all devices share. */
  owner?: string;
  /** The columns of the primary key except `owner`. Rows are ordered by them. */
  order: readonly [string, ...string[]];
  /** Other columns, with the maximum length of their values in characters or bytes. A longer value is read as null. */
  columns: Record<string, number>;
  /** Columns with numbers or booleans. Their values are not limited. */
  numbers?: readonly string[];
}

/** SQL that selects a column, with null instead of a value that has more than `max` characters or bytes. */
export const limitColumn = (column: string, max: number): string =>
  `CASE WHEN length(${column}) <= ${max} THEN ${column} END AS ${column}`;

/** Reads the rows of one device, counts the rows that go into the session bundle, and collects the dropped ones. */
export class DeviceRows {
  readonly jid: string;
  readonly dropped: Dropped[] = [];
  readonly #database: Database;
  /** Number of rows that were added to the session bundle. */
  #takenCount = 0;

  constructor(database: Database, jid: string) {
    this.#database = database;
    this.jid = jid;
  }

  /** How many more keys the session bundle can contain. */
  get remainingKeys(): number {
    return MAX_KEYS - this.#takenCount;
  }

  /** Reports dropped rows. A count of 0 reports nothing. */
  drop(type: string, count: number, reason: string): void {
    if (count > 0) this.dropped.push({ type, count, reason });
  }

  /** The number of rows of the device; 0 for a table that an older version of whatsmeow does not have. */
  async count(table: string, owner: string | undefined): Promise<number> {
    const columns = await this.#database.columns(table);
    if (columns.size === 0 || (owner !== undefined && !columns.has(owner))) return 0;
    const [condition, values] = this.#ownerCondition(owner);
    const [row] = await this.#database.all(`SELECT count(*) AS count FROM ${table} WHERE ${condition}`, values);
    return Number(row?.count);
  }

  /**
   * Calls `takeRow` with each row. `takeRow` adds the row to the session bundle and returns true, or returns false for
   * a damaged row. Damaged rows, and rows with a primary key that is too long, are reported as dropped. Rejects when
   * the session has more keys than a bundle can contain.
   */
  async takeRows(query: TableQuery, takeRow: (row: Row) => boolean): Promise<void> {
    const total = await this.count(query.name, query.owner);
    if (total > this.remainingKeys) throw new Error(`The session ${this.jid} has more than ${MAX_KEYS} keys.`);
    let takenCount = 0;
    for await (const row of this.read(query)) if (takeRow(row)) takenCount += 1;
    this.#takenCount += takenCount;
    this.drop(query.name, total - takenCount, DAMAGED);
  }

  /**
   * Yields the rows of a table, and reads them in pages. Leaves out rows with a primary key that is too long. Columns
   * that the table does not have are missing in the rows.
   */
  async *read({ name, owner, order, columns, numbers = [] }: TableQuery): AsyncGenerator<Row> {
    const existing = await this.#database.columns(name);
    if (existing.size === 0) return;
    const limited = Object.entries(columns).map(([column, max]) => ({ column, sql: limitColumn(column, max) }));
    const selected = [...limited, ...numbers.map((column) => ({ column, sql: column }))]
      .filter(({ column }) => existing.has(column))
      .map(({ sql }) => sql);
    const [condition, values] = this.#ownerCondition(owner);
    const keyColumns = order.join(', ');
    const keyLimits = order.map((column) => `length(CAST(${column} AS TEXT)) <= ${MAX_KEY_LENGTH}`);
    const afterLastKey = `(${keyColumns}) > (${order.map(() => '?').join(', ')})`;
    let lastKey: Parameter[] | undefined;
    for (;;) {
      const rows = await this.#database.all(
        `SELECT ${[...order, ...selected].join(', ')} FROM ${name}
         WHERE ${[condition, ...keyLimits, ...(lastKey ? [afterLastKey] : [])].join(' AND ')}
         ORDER BY ${keyColumns} LIMIT ${ROWS_PER_PAGE}`,
        [...values, ...(lastKey ?? [])],
      );
      yield* rows;
      const lastRow = rows.at(-1);
      if (rows.length < ROWS_PER_PAGE || !lastRow) return;
      lastKey = order.map((column) => toParameter(lastRow[column]));
    }
  }

  /** The SQL condition for the rows of the device, and its parameters. */
  #ownerCondition(owner: string | undefined): [condition: string, values: Parameter[]] {
    return owner === undefined ? ['1 = 1', []] : [`${owner} = ?`, [this.jid]];
  }
}

/** The value of a primary-key column as a parameter of the query for the next page. */
function toParameter(value: unknown): Parameter {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  return null;
}
