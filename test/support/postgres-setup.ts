// Starts the PostgreSQL server that all files of a run share, once, before the first of them.
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres.ts';

let users = 0;
let server: Promise<PostgresServer> | undefined;

/** Runs once per project that names it; the projects of one run get the same server. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  users += 1;
  server ??= startPostgres();
  project.provide('postgresPort', (await server).port);
  return async () => {
    users -= 1;
    if (users === 0) await (await server)?.stop();
  };
}
