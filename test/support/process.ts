// Starts the product the way the documentation says: as processes of this machine, with their output line by line.
import { type SpawnOptions, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly pid: number;
  readonly lines: readonly string[];
  /** Resolves with the first line from index `after` of `lines` on, past or coming, that matches. Rejects with the output when the program ends before. */
  line(pattern: RegExp, after?: number): Promise<string>;
  /** Sends the signal and resolves with the exit code (null when killed by the signal). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

type Options = Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'detached'>;

/** Registers what ends a program. */
type AtEnd = (end: () => Promise<void>) => void;

/**
 * Where and as whom; by default here, as the user who runs the tests, by their Node. `atEnd` is onTestFinished by default;
 * a program for several tests needs another one.
 */
export type How = Omit<Options, 'detached'> & { node?: string; atEnd?: AtEnd };

/**
 * Runs `node <args>` with exactly `env` (and PATH); killed when the test ends, if it still runs then. A machine that is busy with tests
 * does not make a gateway refuse requests as overloaded.
 */
export function run(args: readonly string[], env: Record<string, string> = {}, how: How = {}): Program {
  const { node = process.execPath, ...options } = how;
  return start(node, args, env, options);
}

/** Runs `npm <args>` the same way. Signals go to npm and everything it started, as Ctrl-C in a terminal does. */
export function runNpm(args: readonly string[], env: Record<string, string> = {}): Program {
  return start('npm', args, { HOME: process.env.HOME ?? '', ...env }, { detached: true });
}

/** Runs lines of a shell the same way; signals go to all that they started. */
export function runShell(lines: string, env: Record<string, string> = {}): Program {
  return start('sh', ['-c', lines], { HOME: process.env.HOME ?? '', ...env }, { detached: true });
}

const COMPILED = resolve('node_modules/.cache/compile');

function start(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  { atEnd = onTestFinished, ...how }: Options & { atEnd?: AtEnd },
): Program {
  const child = spawn(command, args, {
    // Half of a start is compiling.
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: COMPILED,
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...how,
  });
  const signalTo = (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    process.kill(how.detached ? -child.pid : child.pid, signal);
  };
  const lines: string[] = [];
  const news = new EventEmitter().setMaxListeners(0);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      news.emit('line', line);
    });
  }
  // `close`, not `exit`: npm leaves before the program that it started has said its last line.
  const ended = once(child, 'close').then(([code]) => {
    news.emit('end');
    return code as number | null;
  });
  atEnd(async () => {
    signalTo('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    line: (pattern, after) => waitForLine(lines, news, pattern, after),
    async stop(signal = 'SIGTERM') {
      signalTo(signal);
      return ended;
    },
  };
}

function waitForLine(lines: readonly string[], news: EventEmitter, pattern: RegExp, after = 0): Promise<string> {
  const known = lines.find((line, index) => index >= after && pattern.test(line));
  if (known !== undefined) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    const onLine = (line: string) => {
      if (!pattern.test(line)) return;
      done();
      resolve(line);
    };
    const onEnd = () => {
      done();
      reject(new Error(`ended before ${pattern}:\n${lines.join('\n')}`));
    };
    const done = () => news.off('line', onLine).off('end', onEnd);
    news.on('line', onLine).on('end', onEnd);
  });
}
