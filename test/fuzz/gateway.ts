// The gateway under test in a separate process, started as users start it. process-monitor.ts monitors its event loop and memory.
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
  /** Duration of the block, ms. */
  blocked: number;
  /** Processor time of the thread during the block, ms. */
  cpuTime: number;
  /** The stack with the largest share of the block. */
  stack: string[];
}

/** Reports of the gateway process about its own state. */
export interface Vitals {
  /** Blocks of the event loop since the list was last emptied. */
  blocks: Block[];
  peakRss: number;
  /** Processor time of the main thread since its start, ms. */
  cpuTime: number;
  /** Time for which the main thread was ready to run but had no processor, since its start, ms. */
  waitTime: number;
  /** The last lines of output. */
  lines: string[];
  /** Log lines of the level fatal. */
  fatal: string[];
}

export interface GatewayProcess {
  readonly url: string;
  readonly vitals: Vitals;
  /** Exit code and signal of an ended process. Undefined while the process runs. */
  readonly end: string | undefined;
  /** Makes the process collect garbage. Resolves with its memory afterwards. */
  collect(): Promise<Memory>;
  kill(): Promise<void>;
}

const MAX_LINES = 300;
const START_TIMEOUT = 90_000;

/** Starts `src/server.ts` with `env`. Resolves when it is ready. Rejects with its output when it ends before that. */
export async function startGateway(env: Record<string, string>): Promise<GatewayProcess> {
  const port = await freePort();
  const flags = [
    '--expose-gc',
    '--import',
    './test/fuzz/process-monitor.ts',
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
  const vitals: Vitals = { blocks: [], peakRss: 0, cpuTime: 0, waitTime: 0, lines: [], fatal: [] };
  const collections: ((memory: Memory) => void)[] = [];
  keepLines(child, vitals);
  createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
    const report = JSON.parse(line) as Partial<Memory & Block> & {
      waitTime?: number;
      collected?: true;
    };
    if (report.blocked !== undefined)
      vitals.blocks.push({ blocked: report.blocked, cpuTime: report.cpuTime ?? 0, stack: report.stack ?? [] });
    vitals.peakRss = Math.max(vitals.peakRss, report.rss ?? 0);
    vitals.waitTime = report.waitTime ?? vitals.waitTime;
    if (report.waitTime !== undefined) vitals.cpuTime = report.cpuTime ?? vitals.cpuTime;
    const { rss = 0, heapUsed = 0, external = 0 } = report;
    if (report.collected) collections.shift()?.({ rss, heapUsed, external });
  });
  const commands = child.stdio[4] as Writable;
  commands.on('error', () => undefined);
  let end: string | undefined;
  const exited = once(child, 'exit').then(([code, signal]) => {
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
        void exited.then(() => reject(new Error(`the gateway ended: ${end}`)));
      });
      commands.write('.');
      return memory;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function keepLines(child: ChildProcess, vitals: Vitals): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      vitals.lines.push(line.slice(0, 4_000));
      if (process.env.FUZZ_LOG) appendFileSync(process.env.FUZZ_LOG, `${line}\n`);
      if (vitals.lines.length > MAX_LINES) vitals.lines.shift();
      if (/"level":60\b/.test(line)) vitals.fatal.push(line.slice(0, 4_000));
    });
  }
}
