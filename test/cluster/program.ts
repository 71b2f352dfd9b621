// A child process of the cluster run. Its output goes to a file, and callers can wait for a line.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Program {
  readonly pid: number;
  /** Resolves with the next line that matches. Rejects when the process ends first. */
  line(pattern: RegExp): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** The exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  readonly isRunning: boolean;
}

/** Runs `node <args>` with only `env` and PATH. Appends the output to `file`. The child process ends with this one. */
export function runProgram(args: readonly string[], env: Record<string, string>, file: string): Program {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const output = createWriteStream(file, { flags: 'a' });
  const events = new EventEmitter().setMaxListeners(0);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.write(`${line}\n`);
      events.emit('line', line);
    });
  }
  let isRunning = true;
  const ended = once(child, 'close').then(([code]) => {
    isRunning = false;
    process.off('exit', kill);
    output.end();
    events.emit('end');
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
        const removeListeners = () => events.off('line', onLine).off('end', onEnd);
        const onLine = (line: string) => {
          if (!pattern.test(line)) return;
          removeListeners();
          resolve(line);
        };
        const onEnd = () => {
          removeListeners();
          reject(new Error(`ended before ${pattern}: see ${file}`));
        };
        events.on('line', onLine).on('end', onEnd);
      }),
  };
}
