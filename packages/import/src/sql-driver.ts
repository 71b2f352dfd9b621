// What differs between PostgreSQL and MySQL for sql-reader.ts.

export interface SqlDriver {
  readonly title: string;
  /** Table and column of all columns in the schema. */
  readonly listColumns: string;
  /** One row for each other client of the database that this user may see. */
  readonly listClients: string;
  quote(name: string): string;
  /** The type to which values are cast. */
  readonly text: string;
  placeholder(index: number): string;
  /** Runs one statement in a read-only transaction. Rejects with an Error for the operator. */
  run(sql: string, values: readonly string[]): Promise<unknown[]>;
  close(): Promise<void>;
}
