// The type of a migration. Every other file in this folder is one migration; ../migrate.ts runs them in order.

export interface Migration {
  /** The schema version after this migration. Versions start at 1 and have no gaps. */
  version: number;
  /**
   * The oldest compatible schema version. Releases of the gateway that were made for this version or a later one can
   * use the database after this migration.
   */
  compatibleWith: number;
  /** SQL statements in order. */
  up(dialect: 'sqlite' | 'postgres'): string[];
}
