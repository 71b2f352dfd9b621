// One step of the database schema. Each file beside this one is a step; migrate.ts runs them in order.

export interface Migration {
  /** Number of the step; steps are numbered without gaps from 1. */
  version: number;
  /** The oldest schema version whose binaries can still run after this step. */
  compatibleWith: number;
  /** SQL statements in order. */
  up(dialect: 'sqlite' | 'postgres'): string[];
}
