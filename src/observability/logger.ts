// How the gateway logs: pino, one JSON line each. Keys and bodies never reach a line; this file is the second lock, callers are the first.
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config/load.ts';

/** Where a secret could stand in an object that somebody logs. Case-sensitive, as pino's redaction is. */
const secrets = 'apikey apiKey token secret password authorization encryptionKey databaseUrl signature mediaUrl'.split(
  ' ',
);

/** Whether a secret is set may be said. */
const censor = (value: unknown) => (typeof value === 'boolean' ? value : '[hidden]');

/** Pino options for a level; the request serializer drops the query, which may hold a phone number or the signature of a link. */
export function logOptions(level: string): LoggerOptions {
  return {
    level,
    base: undefined,
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor },
    serializers: {
      err: pino.stdSerializers.err,
      req: ({ method, url }: { method?: string; url?: string }) => ({ method, url: url?.split('?', 1)[0] }),
      res: ({ statusCode }: { statusCode?: number }) => ({ statusCode }),
    },
  };
}

/** Logs that were made of another one, as long as somebody has them: each keeps the level that it was made with. */
class Children {
  #all: WeakRef<Logger>[] = [];
  #limit = 64;

  add(child: Logger): void {
    if (this.#all.length >= this.#limit) {
      this.#all = this.#all.filter((each) => each.deref() !== undefined);
      this.#limit = Math.max(64, this.#all.length * 2);
    }
    this.#all.push(new WeakRef(child));
  }

  follow(level: string): void {
    for (const each of this.#all) {
      const child = each.deref();
      if (child) child.level = level;
    }
  }
}

/**
 * The process's logger, to standard output unless `destination` says otherwise. A new `level` holds for everything that was made of it,
 * too.
 */
export function createLog(config: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  const children = new Children();
  const options = { ...logOptions(config.logLevel), onChild: (child: Logger) => children.add(child) };
  const log = destination ? pino(options, destination) : pino(options);
  log.on('level-change', (level, _value, _before, _valueBefore, changed) => {
    if (changed === log) children.follow(level);
  });
  return log;
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; hasColors?(): boolean };

/** Writes lines for people into a terminal; undefined for anything else, where they stay JSON. Loaded when wanted. */
export async function terminalOf(stream: Output): Promise<DestinationStream | undefined> {
  if (!stream.isTTY) return undefined;
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: stream, colorize: stream.hasColors?.() ?? false, translateTime: 'SYS:HH:MM:ss.l' });
}
