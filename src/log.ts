// How the gateway logs: pino, one JSON line each. Keys and bodies never reach a line; this file is the second lock, callers are the first.
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Config } from './config.ts';

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

/** The process's logger, to standard output unless `destination` says otherwise. */
export function createLog(config: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  return destination ? pino(logOptions(config.logLevel), destination) : pino(logOptions(config.logLevel));
}
