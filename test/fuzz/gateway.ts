// The gateway under test as a process of its own, started as its users start it, with a watch over its event loop and memory (watch.ts).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { freePort } from '../support/port.ts';

export interface Memory {
  rss: number;
  heapUsed: number;
  external: number;
}

export interface Block {
  /** ms. */
  blocked: number;
  /** Of them, ms of the thread's own processor time. */
  busy: number;
  /** The stack in which most of it was spent. */
  by: string[];
}

/** What the gateway's process says of itself. */
export interface Vitals {
  /** Longest blocks of its event loop since they were last taken, ms. */
  blocks: Block[];
  peakRss: number;
  /** ms of processor time of its thread since its start. */
  busy: number;
  /** ms for which its thread was ready to run and others had the processor, since its start. */
  waited: number;
  /** Its last lines of output. */
  lines: string[];
  /** Lines of level fatal. */
  fatal: string[];
}

export interface GatewayProcess {
  readonly url: string;
  readonly vitals: Vitals;
  /** Undefined while it runs, else how it ended. */
  readonly end: string | undefined;
  /** Collects garbage and says what is left. */
  collect(): Promise<Memory>;
  kill(): Promise<void>;
}

const KEPT_LINES = 300;
const START_TIMEOUT = 90_000;

/** Starts `src/server.ts` with `env` and resolves when it answers. Rejects with its output when it ends before. */
export async function startGateway(env: Record<string, string>): Promise<GatewayProcess> {
  const port = await freePort();
  const flags = [
    '--expose-gc',
    '--import',
    './test/fuzz/watch.ts',
    ...(process.env.FUZZ_NODE_OPTIONS?.split(' ') ?? []),
  ];
  const child = spawn(process.execPath, [...flags, 'src/server.ts'], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: 'node_modules/.cache/compile',
      HOST: '127.0.0.1',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const vitals: Vitals = { blocks: [], peakRss: 0, busy: 0, waited: 0, lines: [], fatal: [] };
  const collections: ((memory: Memory) => void)[] = [];
  keepLines(child, vitals);
  createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
    const said = JSON.parse(line) as Partial<Memory & Block> & {
      waited?: number;
      collected?: true;
    };
    if (said.blocked !== undefined)
      vitals.blocks.push({ blocked: said.blocked, busy: said.busy ?? 0, by: said.by ?? [] });
    vitals.peakRss = Math.max(vitals.peakRss, said.rss ?? 0);
    vitals.waited = said.waited ?? vitals.waited;
    if (said.waited !== undefined) vitals.busy = said.busy ?? vitals.busy;
    const { rss = 0, heapUsed = 0, external = 0 } = said;
    if (said.collected) collections.shift()?.({ rss, heapUsed, external });
  });
  const orders = child.stdio[4] as Writable;
  orders.on('error', () => undefined);
  let end: string | undefined;
  const ended = once(child, 'exit').then(([code, signal]) => {
    end = `exit code ${code}, signal ${signal}`;
  });
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT;
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (end !== undefined || Date.now() > deadline)
      throw new Error(`the gateway did not start (${end}):\n${vitals.lines.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    vitals,
    get end() {
      return end;
    },
    collect() {
      if (end !== undefined) return Promise.reject(new Error(`the gateway ended: ${end}`));
      const memory = new Promise<Memory>((resolve, reject) => {
        collections.push(resolve);
        void ended.then(() => reject(new Error(`the gateway ended: ${end}`)));
      });
      orders.write('.');
      return memory;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function keepLines(child: ChildProcess, vitals: Vitals): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      vitals.lines.push(line.slice(0, 4_000));
      if (process.env.FUZZ_LOG) appendFileSync(process.env.FUZZ_LOG, `${line}\n`);
      if (vitals.lines.length > KEPT_LINES) vitals.lines.shift();
      if (/"level":60\b/.test(line)) vitals.fatal.push(line.slice(0, 4_000));
    });
  }
}
