// Child processes of the benchmark: forked processes that answer requests (protocol.ts), and servers. Their CPU time
// and memory are those of the kernel.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/port.ts';
import type { Reply, Request } from './protocol.ts';

export interface Child {
  readonly pid: number;
  ask<T>(request: Request): Promise<T>;
  stop(): Promise<void>;
}

/** Forks `file` with `env` added to the environment. Resolves after the first message of the process. */
export async function forkChild(file: string, flags: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Child> {
  const child = fork(new URL(file, import.meta.url), [], {
    execArgv: flags,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const ready = once(child, 'message');
  child.on('message', (reply: Reply) => {
    const request = pending.get(reply.id);
    pending.delete(reply.id);
    if (reply.error) request?.reject(new Error(reply.error));
    else request?.resolve(reply.result);
  });
  child.on('exit', () => {
    for (const request of pending.values()) request.reject(new Error(`${file} ended`));
  });
  await ready;
  let lastId = 0;
  return {
    pid: child.pid ?? 0,
    ask: (request) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve: (value) => resolve(value as never), reject });
        child.send({ id: lastId, request });
      }),
    stop: () => stopProcess(child),
  };
}

export interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  /** ms from spawn to the first 200 of /livez. */
  readonly readyAfter: number;
  stop(): Promise<void>;
}

/** The folder of this checkout. */
export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

/** The arguments that `npm start` of the checkout in `folder` passes to Node, with absolute paths. */
function startArguments(folder: string): string[] {
  const { scripts }: { scripts: { start: string } } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [, ...args] = scripts.start.split(' ');
  return args.map((arg) => (/^(\.\/)?src\//.test(arg) ? join(folder, arg) : arg));
}

/**
 * Starts the checkout in `folder` as `npm start` does, with `env` on a free port. Resolves when the gateway responds.
 * The options in GATEWAY_NODE_OPTIONS can write files, such as profiles of `--cpu-prof` or the isolate-….log of each
 * process of `--perf-basic-prof`. These files are in the folder for temporary files.
 */
export function startGateway(env: Record<string, string>, folder = CHECKOUT): Promise<ServerProcess> {
  return startServer(startArguments(folder), env);
}

/** Starts libraries.js, a server with the libraries of the gateway but without its own code. */
export function startLibraries(): Promise<ServerProcess> {
  const cache = join(CHECKOUT, 'src/app/module-loading.js');
  return startServer(['--import', cache, fileURLToPath(new URL('libraries.js', import.meta.url))], {});
}

async function startServer(args: readonly string[], env: Record<string, string>): Promise<ServerProcess> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: process.env.GATEWAY_NODE_OPTIONS,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    const response = await fetch(`${url}/livez`).catch(() => undefined);
    if (response?.ok) break;
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { pid: child.pid ?? 0, url, readyAfter: performance.now() - startedAt, stop: () => stopProcess(child) };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** CPU time of a process so far, ms. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** CPU time of a process and of the living children of its main thread so far, ms. */
export function familyCpuOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const pids = children === '' ? [] : children.split(' ').map(Number);
  return [pid, ...pids].reduce((sum, member) => sum + cpuOf(member), 0);
}

/** Resident memory of a process, MiB. */
export function rssOf(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}
