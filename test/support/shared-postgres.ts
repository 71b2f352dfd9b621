// The PostgreSQL server that all test files of a run share. postgres-setup.ts starts it once.
import { inject } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { LeaseFence } from '../../src/storage/lease-fence.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databasesAt, type PostgresDatabases } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresPort: number;
  }
}

export interface SharedPostgres extends PostgresDatabases {
  /**
   * Creates a database with all migrations of this release, which no gateway has opened. It is a copy of a template,
   * because the migrations take twice the CPU time of a new database.
   */
  createMigratedDatabase(): Promise<string>;
}

/** Databases on the server of the run. A test that stops or configures its server uses startPostgres() instead. */
export function sharedPostgres(): SharedPostgres {
  const databases = databasesAt(inject('postgresPort'));
  const createTemplate = async () => {
    const url = await databases.createDatabase();
    const database = openPostgres({ url, poolSize: 1, fence: new LeaseFence() });
    try {
      await migrate(database, systemClock);
    } finally {
      await database.close();
    }
    return url;
  };
  let template: Promise<string> | undefined;
  return {
    ...databases,
    async createMigratedDatabase() {
      template ??= createTemplate();
      return databases.createDatabase(await template);
    },
  };
}
