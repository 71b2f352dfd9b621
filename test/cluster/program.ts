// One process of the show: its output goes to a file, and its lines can be waited for.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Program {
  readonly pid: number;
  /** Resolves with the first line to come that matches. Rejects when the program ends before. */
  line(pattern: RegExp): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** The exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  readonly isRunning: boolean;
}

/** Runs `node <args>` with exactly `env` (and PATH); what it writes is appended to `file`. It ends with this process. */
export function runProgram(args: readonly string[], env: Record<string, string>, file: string): Program {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const output = createWriteStream(file, { flags: 'a' });
  const news = new EventEmitter().setMaxListeners(0);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.write(`${line}\n`);
      news.emit('line', line);
    });
  }
  let isRunning = true;
  const ended = once(child, 'close').then(([code]) => {
    isRunning = false;
    process.off('exit', kill);
    output.end();
    news.emit('end');
    return code as number | null;
  });
  return {
    pid: child.pid ?? 0,
    ended,
    get isRunning() {
      return isRunning;
    },
    signal: (signal) => void child.kill(signal),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const done = () => news.off('line', onLine).off('end', onEnd);
        const onLine = (line: string) => {
          if (!pattern.test(line)) return;
          done();
          resolve(line);
        };
        const onEnd = () => {
          done();
          reject(new Error(`ended before ${pattern}: see ${file}`));
        };
        news.on('line', onLine).on('end', onEnd);
      }),
  };
}
