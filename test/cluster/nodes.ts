// Gateway processes on one database, started as in docs/deploy/cluster.md. They can be killed, frozen and stopped.
import { join } from 'node:path';
import { freePort } from '../support/port.ts';
import { type Program, runProgram } from './program.ts';
import { until } from './wait.ts';

export const KEY = 'cluster-key-0123456789abcdef';
const READY_LIMIT = 60_000;

export interface NodeSetup {
  /** Folder for the data and logs of all nodes. The names of the files contain the name of the node. */
  folder: string;
  databaseUrl: string;
  /** Settings of all nodes: the platform, the encryption key, the TTL of leases. */
  env: Record<string, string>;
}

export class GatewayNode {
  readonly name: string;
  readonly url: string;
  readonly #setup: NodeSetup;
  #program: Program | undefined;

  /** Use `createNode`, which selects a free port. */
  constructor(name: string, url: string, setup: NodeSetup) {
    this.name = name;
    this.url = url;
    this.#setup = setup;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** Starts the process. Resolves when the node is ready for requests. */
  async start(): Promise<void> {
    const { folder, databaseUrl, env } = this.#setup;
    const database = new URL(databaseUrl);
    // With this name, PostgreSQL can identify the node that writes (write-audit.ts).
    database.searchParams.set('application_name', this.name);
    const settings = {
      HOST: '127.0.0.1',
      PORT: new URL(this.url).port,
      NODE_NAME: this.name,
      NODE_URL: this.url,
      DATABASE_URL: database.href,
      DATA_DIR: join(folder, this.name),
      API_KEY: KEY,
      LOG_LEVEL: 'info',
      // Without these settings, a machine that runs all processes would refuse calls because of overload.
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
    };
    this.#program = runProgram(['src/server.ts'], { ...settings, ...env }, join(folder, `${this.name}.log`));
    await this.#program.line(/gateway\.ready/);
    await this.ready();
  }

  async ready(): Promise<void> {
    const isReady = async () => (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
    await until(isReady, READY_LIMIT, `${this.name} is ready`);
  }

  /** Ends the process without notice, as a crash of the machine does. */
  async kill(): Promise<void> {
    this.#running.signal('SIGKILL');
    await this.#running.ended;
  }

  /** Pauses the process with open connections, as when its machine is suspended. */
  freeze(): void {
    this.#running.signal('SIGSTOP');
  }

  thaw(): void {
    this.#running.signal('SIGCONT');
  }

  /** Stops the node gracefully. Throws unless the process ends with exit code 0. */
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

/** Creates a node that is not started. It keeps its name and its URL across restarts. */
export async function createNode(name: string, setup: NodeSetup): Promise<GatewayNode> {
  return new GatewayNode(name, `http://127.0.0.1:${await freePort()}`, setup);
}
