// The PostgreSQL server that all test files of a run share: postgres-setup.ts starts it, once.
import { inject } from 'vitest';
import { databasesAt, type PostgresDatabases } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresPort: number;
  }
}

/** Databases on the server of the run. A test that stops its server, or configures it differently, uses startPostgres() instead. */
export const sharedPostgres = (): PostgresDatabases => databasesAt(inject('postgresPort'));
