// Creates the logger that is passed to Baileys. It writes the messages and errors of Baileys to the gateway's log.
// Except at the level debug, these lines contain no long numbers and no objects, because objects contain JIDs, stanzas
// and keys.
import type { LevelWithSilent, Logger } from 'pino';
import { isConnectionClosed } from './errors.ts';

/** The interface of Baileys' `ILogger`. */
interface BaileysLogger {
  level: string;
  child(fields: Record<string, unknown>): BaileysLogger;
  trace(fields: unknown, text?: string): void;
  debug(fields: unknown, text?: string): void;
  info(fields: unknown, text?: string): void;
  warn(fields: unknown, text?: string): void;
  error(fields: unknown, text?: string): void;
}

const LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Texts that Baileys logs as errors although they are normal. `stream errored out` occurs at every close. */
const EXPECTED_MESSAGES = new Set(['stream errored out']);

/**
 * Returns a logger that writes Baileys' lines of `level` and above to `log`. For each line of Baileys, it writes a text
 * line, an object line, or both.
 *
 * The text line contains only text, with long numbers masked. Errors become warnings, because Baileys logs a normal
 * close as an error. Errors of a closed connection get the level debug, because they are normal at the end of a
 * session.
 *
 * The object line contains the object that Baileys logs, at the level debug. It is written when `level` is `trace` or
 * `debug`. Lines of Baileys at trace and debug have only an object line. The lines of EXPECTED_MESSAGES have only an
 * object line, even when `level` is higher than `debug`.
 */
export function createBaileysLog(log: Logger, level: LevelWithSilent): BaileysLogger {
  const lowestIndex = LEVELS.indexOf(level);
  const logsObjects = lowestIndex <= LEVELS.indexOf('debug');
  const writer = (baileysLevel: LevelWithSilent, gatewayLevel: 'debug' | 'info' | 'warn') => {
    if (LEVELS.indexOf(baileysLevel) < lowestIndex) return () => undefined;
    return (fields: unknown, text?: string): void => {
      const isExpected = EXPECTED_MESSAGES.has(text ?? '');
      if (logsObjects || isExpected) log.debug({ baileys: fields }, text ?? 'baileys');
      if (isExpected || (logsObjects && gatewayLevel === 'debug')) return;
      const error = errorIn(fields);
      const reason = error ? { reason: maskNumbers(`${error.name}: ${error.message}`) } : {};
      // pino-style loggers accept the text as the only argument.
      const message = text ?? (typeof fields === 'string' ? fields : 'line');
      log[isConnectionClosed(error) ? 'debug' : gatewayLevel](reason, `baileys: ${maskNumbers(message)}`);
    };
  };
  const logger: BaileysLogger = {
    level,
    child: () => logger,
    trace: writer('trace', 'debug'),
    debug: writer('debug', 'debug'),
    info: writer('info', 'info'),
    warn: writer('warn', 'warn'),
    error: writer('error', 'warn'),
  };
  return logger;
}

/** Masks numbers of five or more digits, which can be phone numbers or ids. */
const maskNumbers = (text: string): string => text.replace(/\d{5,}/g, '…');

/** Names of the members in which Baileys logs an error. The logged object can also be the error itself. */
const ERROR_FIELDS = ['err', 'error', 'e', 'ackErr'] as const;

function errorIn(fields: unknown): Error | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined;
  const candidates: unknown[] = [fields, ...ERROR_FIELDS.map((name) => Reflect.get(fields, name))];
  return candidates.find((candidate) => candidate instanceof Error);
}
