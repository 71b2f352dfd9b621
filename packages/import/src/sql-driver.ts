// The interface of a database driver for sql-reader.ts. sql-postgresql.ts and sql-mysql.ts implement it.

export interface SqlDriver {
  /** The database program and the address of the server, for messages to the operator. Without user and password. */
  readonly title: string;
  /** SQL that returns the table `t` and the name `c` of each column in the schema. */
  readonly listColumns: string;
  /** SQL that returns a row for each other client of the database that this user may see. */
  readonly listClients: string;
  /** Quotes the name of a table or column. */
  quote(name: string): string;
  /** Name of the SQL text type. Values are read as texts, so columns are cast to this type. */
  readonly textType: string;
  /** The placeholder of a parameter; `index` starts at 1. */
  placeholder(index: number): string;
  /** Runs one statement in a read-only transaction. Rejects with an Error for the operator. */
  run(sql: string, values: readonly string[]): Promise<unknown[]>;
  close(): Promise<void>;
}
