// The interface of a database driver for sql-reader.ts. sql-postgresql.ts and sql-mysql.ts implement it.

export interface SqlDriver {
  /** The database program and the address of the server, for messages to the operator. Without user and password. */
  readonly title: string;
  /** SQL that returns a row for each column in the schema: `t` is the name of the table, `c` the name of the column. */
  readonly columnsSql: string;
  /** SQL that returns a row for each other client connected to the database, as far as this user may see it. */
  readonly otherClientsSql: string;
  /** Quotes the name of a table or column. */
  quote(name: string): string;
  /** Name of the SQL text type. Columns are cast to this type, because values are read as text. */
  readonly sqlTextType: string;
  /** The placeholder of a parameter; `index` starts at 1. */
  placeholder(index: number): string;
  /** Runs a statement in a read-only transaction. Resolves with its rows. Rejects with an Error for the operator. */
  run(sql: string, values: readonly string[]): Promise<unknown[]>;
  close(): Promise<void>;
}
