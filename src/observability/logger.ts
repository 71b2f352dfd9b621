// Creates the logger (pino), which writes one JSON line per entry. Callers must not log keys or bodies; the redaction
// here is a second safeguard.
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config/load.ts';
import { StandardOutput } from './standard-output.ts';

/** Field names whose values are redacted, at up to two levels of nesting. Case-sensitive, like pino. */
const SECRET_NAMES = [
  'apikey',
  'apiKey',
  'token',
  'secret',
  'password',
  'authorization',
  'encryptionKey',
  'databaseUrl',
  'signature',
  'mediaUrl',
];
/** References to garbage-collected child loggers are removed only when there are at least this many references. */
const MIN_CLEANUP_SIZE = 64;

/** Replaces a secret. Keeps a boolean, which says only whether a secret is set. */
const censor = (value: unknown) => (typeof value === 'boolean' ? value : '[hidden]');

/**
 * Pino options for a level. Requests are logged without the query, which may contain a phone number or the signature of
 * a link.
 */
export function logOptions(level: string): LoggerOptions {
  return {
    level,
    base: undefined,
    redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor },
    serializers: {
      err: pino.stdSerializers.err,
      req: ({ method, url }: { method?: string; url?: string }) => ({ method, url: url?.split('?', 1)[0] }),
      res: ({ statusCode }: { statusCode?: number }) => ({ statusCode }),
    },
  };
}

/**
 * The child loggers of a logger. A child keeps the level that its parent has when the child is created; `setLevel`
 * changes it later. The references are weak, so that children can be garbage-collected.
 */
class ChildLoggers {
  #all: WeakRef<Logger>[] = [];
  /** Number of references at which `add` removes references to garbage-collected children. */
  #cleanupSize = MIN_CLEANUP_SIZE;

  add(child: Logger): void {
    if (this.#all.length >= this.#cleanupSize) {
      this.#all = this.#all.filter((each) => each.deref() !== undefined);
      this.#cleanupSize = Math.max(MIN_CLEANUP_SIZE, this.#all.length * 2);
    }
    this.#all.push(new WeakRef(child));
  }

  setLevel(level: string): void {
    for (const each of this.#all) {
      const child = each.deref();
      if (child) child.level = level;
    }
  }
}

/**
 * Makes the logger and its future children faster. Because of the paths that start with `*`, pino passes every member
 * of every line to @pinojs/redact, which takes several microseconds even for a value that cannot contain a secret. From
 * now on, primitive values are serialized without @pinojs/redact. The output stays the same: the fields in SECRET_NAMES
 * stay redacted, because pino has a separate stringifier for each of them. Does nothing when pino has no redacting
 * stringifier for the paths that start with `*`.
 */
function skipRedactionOfPrimitives(log: Logger): void {
  const stringifiers: unknown = Reflect.get(log, pino.symbols.stringifiersSym);
  if (typeof stringifiers !== 'object' || stringifiers === null) return;
  const redact: unknown = Reflect.get(stringifiers, pino.symbols.wildcardFirstSym);
  if (typeof redact !== 'function') return;
  const stringify = (value: unknown, ...rest: unknown[]): unknown => {
    const type = typeof value;
    if (type === 'string' || type === 'number' || type === 'boolean' || value === null) return JSON.stringify(value);
    return redact(value, ...rest);
  };
  Reflect.set(stringifiers, pino.symbols.wildcardFirstSym, stringify);
}

/**
 * Creates the logger of the process. It writes to standard output or to `destination`. A change of its `level` also
 * changes its children.
 */
export function createLogger(config: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  const children = new ChildLoggers();
  const options = { ...logOptions(config.logLevel), onChild: (child: Logger) => children.add(child) };
  const output = destination ?? new StandardOutput();
  const log = pino(options, output);
  if (output instanceof StandardOutput) output.onLinesDropped = (count) => log.warn({ count }, 'log.lines.dropped');
  skipRedactionOfPrimitives(log);
  log.on('level-change', (level, _value, _before, _valueBefore, changed) => {
    // Children inherit this listener, so it is also called for their changes.
    if (changed === log) children.setLevel(level);
  });
  return log;
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; hasColors?(): boolean };

/**
 * Creates a stream that formats log lines for a terminal. Resolves with undefined when `stream` is not a terminal: its
 * lines stay JSON. Loads pino-pretty only for a terminal.
 */
export async function createTerminalStream(stream: Output): Promise<DestinationStream | undefined> {
  if (!stream.isTTY) return undefined;
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: stream, colorize: stream.hasColors?.() ?? false, translateTime: 'SYS:HH:MM:ss.l' });
}
