// Gateway processes on one database, started as docs/deploy/cluster.md says, and what can be done to them.
import { join } from 'node:path';
import { freePort } from '../support/port.ts';
import { type Program, runProgram } from './program.ts';
import { until } from './wait.ts';

export const KEY = 'cluster-key-0123456789abcdef';
const READY_LIMIT = 60_000;

export interface NodeSetup {
  /** Data and logs of all nodes, each in files of its own name. */
  folder: string;
  databaseUrl: string;
  /** Common to all nodes: the platform, the encryption key, the time a lease lives. */
  env: Record<string, string>;
}

export class GatewayNode {
  readonly name: string;
  readonly url: string;
  readonly #setup: NodeSetup;
  #program: Program | undefined;

  /** Use `createNode`, which finds a port. */
  constructor(name: string, url: string, setup: NodeSetup) {
    this.name = name;
    this.url = url;
    this.#setup = setup;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** Resolves when it is ready for requests. */
  async start(): Promise<void> {
    const { folder, databaseUrl, env } = this.#setup;
    const database = new URL(databaseUrl);
    // PostgreSQL then knows which node writes (audit.ts).
    database.searchParams.set('application_name', this.name);
    const own = {
      HOST: '127.0.0.1',
      PORT: new URL(this.url).port,
      NODE_NAME: this.name,
      NODE_URL: this.url,
      DATABASE_URL: database.href,
      DATA_DIR: join(folder, this.name),
      API_KEY: KEY,
      LOG_LEVEL: 'info',
      // What is shown is what gets through; on a machine that runs all of it at once calls would be refused.
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
    };
    this.#program = runProgram(['src/server.ts'], { ...own, ...env }, join(folder, `${this.name}.log`));
    await this.#program.line(/gateway\.ready/);
    await this.ready();
  }

  async ready(): Promise<void> {
    const isReady = async () => (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
    await until(isReady, READY_LIMIT, `${this.name} is ready`);
  }

  /** As the kernel or the machine would end it. */
  async kill(): Promise<void> {
    this.#running.signal('SIGKILL');
    await this.#running.ended;
  }

  /** It stands still with all its connections open, as when its machine is suspended. */
  freeze(): void {
    this.#running.signal('SIGSTOP');
  }

  thaw(): void {
    this.#running.signal('SIGCONT');
  }

  /** Ends it in order. Throws unless it ended with code 0. */
  async stop(): Promise<void> {
    if (!this.#program?.isRunning) return;
    this.#program.signal('SIGTERM');
    const code = await this.#program.ended;
    if (code !== 0) throw new Error(`${this.name} ended with ${code}`);
  }

  get #running(): Program {
    if (!this.#program) throw new Error(`${this.name} was never started`);
    return this.#program;
  }
}

/** A node that keeps its name and its address over restarts; not started yet. */
export async function createNode(name: string, setup: NodeSetup): Promise<GatewayNode> {
  return new GatewayNode(name, `http://127.0.0.1:${await freePort()}`, setup);
}
