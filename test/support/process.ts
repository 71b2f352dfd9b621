// Starts the product as processes of this machine, as the documentation describes it, and collects the lines of output.
import { type SpawnOptions, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly pid: number;
  readonly lines: readonly string[];
  /**
   * Resolves with the first line that matches, including past lines. Ignores lines before index `after` of `lines`.
   * Rejects with the output when the program ends before.
   */
  line(pattern: RegExp, after?: number): Promise<string>;
  /** Sends the signal and resolves with the exit code (null when killed by the signal). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

type Options = Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'detached'>;

/** Registers the function that ends a program. */
type AtEnd = (end: () => Promise<void>) => void;

/**
 * The folder, the user and the Node of a program. The defaults are those of the process of the tests. `atEnd` is
 * onTestFinished by default. A program for several tests needs another function.
 */
export type RunOptions = Omit<Options, 'detached'> & { node?: string; atEnd?: AtEnd };

/**
 * Runs `node <args>`. The environment is `env`, PATH, the compile cache, and settings with which a busy machine does
 * not make a gateway refuse requests as overloaded. The end of the test kills the program if it still runs.
 */
export function run(args: readonly string[], env: Record<string, string> = {}, how: RunOptions = {}): Program {
  const { node = process.execPath, ...options } = how;
  return start(node, args, env, options);
}

/** Runs `npm <args>` as run() does. Signals go to npm and all its child processes, as Ctrl-C in a terminal does. */
export function runNpm(args: readonly string[], env: Record<string, string> = {}): Program {
  return start('npm', args, { HOME: process.env.HOME ?? '', ...env }, { detached: true });
}

/** Runs shell commands as run() does. Signals go to the shell and all its child processes. */
export function runShell(lines: string, env: Record<string, string> = {}): Program {
  return start('sh', ['-c', lines], { HOME: process.env.HOME ?? '', ...env }, { detached: true });
}

const COMPILE_CACHE = resolve('node_modules/.cache/compile');

function start(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  { atEnd = onTestFinished, ...options }: Options & { atEnd?: AtEnd },
): Program {
  const child = spawn(command, args, {
    // Without the cache, compilation takes half of the time of a start.
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const signalTo = (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    process.kill(options.detached ? -child.pid : child.pid, signal);
  };
  const lines: string[] = [];
  const events = new EventEmitter().setMaxListeners(0);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      events.emit('line', line);
    });
  }
  // The event is `close`, not `exit`, because npm exits before the program that it started has written its last line.
  const ended = once(child, 'close').then(([code]) => {
    events.emit('end');
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
    line: (pattern, after) => waitForLine(lines, events, pattern, after),
    async stop(signal = 'SIGTERM') {
      signalTo(signal);
      return ended;
    },
  };
}

function waitForLine(lines: readonly string[], events: EventEmitter, pattern: RegExp, after = 0): Promise<string> {
  const match = lines.find((line, index) => index >= after && pattern.test(line));
  if (match !== undefined) return Promise.resolve(match);
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
    const done = () => events.off('line', onLine).off('end', onEnd);
    events.on('line', onLine).on('end', onEnd);
  });
}
