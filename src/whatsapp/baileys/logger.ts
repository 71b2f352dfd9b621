// The logger that Baileys gets. It writes Baileys' message and error to the gateway's log, without long numbers and
// objects, which contain JIDs, stanzas and keys.
import type { LevelWithSilent, Logger } from 'pino';
import { CONNECTION_CLOSED, statusOf } from './connection-update.ts';

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

/** Messages that Baileys logs as errors for normal events: every close, including the one after pairing. */
const EXPECTED_MESSAGES = new Set(['stream errored out']);

/**
 * Returns a logger that passes lines of `level` and above to `log`. With `trace` or `debug` it passes whole objects at
 * level debug, otherwise only texts in which long numbers are replaced. Errors become warnings, because Baileys logs a
 * normal close as an error. Errors of a closed connection, normal at the end of a session, have level debug.
 */
export function createBaileysLog(log: Logger, level: LevelWithSilent): BaileysLogger {
  const lowest = LEVELS.indexOf(level);
  const hasObjects = lowest <= LEVELS.indexOf('debug');
  const line = (at: LevelWithSilent, to: 'debug' | 'info' | 'warn') =>
    LEVELS.indexOf(at) < lowest
      ? () => undefined
      : (fields: unknown, text?: string) => {
          if (hasObjects || EXPECTED_MESSAGES.has(text ?? '')) return log.debug({ baileys: fields }, text ?? 'baileys');
          const error = errorIn(fields);
          const reason = error ? { reason: maskNumbers(`${error.name}: ${error.message}`) } : {};
          const isClosed = statusOf(error) === CONNECTION_CLOSED;
          log[isClosed ? 'debug' : to](
            reason,
            `baileys: ${maskNumbers(text ?? (typeof fields === 'string' ? fields : 'line'))}`,
          );
        };
  const logger: BaileysLogger = {
    level,
    child: () => logger,
    trace: line('trace', 'debug'),
    debug: line('debug', 'debug'),
    info: line('info', 'info'),
    warn: line('warn', 'warn'),
    error: line('error', 'warn'),
  };
  return logger;
}

const maskNumbers = (text: string): string => text.replace(/\d{5,}/g, '…');

/** Names under which Baileys logs an error. It can also be the logged object itself. */
const ERROR_FIELDS = ['err', 'error', 'e', 'ackErr'] as const;

function errorIn(fields: unknown): Error | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined;
  const candidates: unknown[] = [fields, ...ERROR_FIELDS.map((name) => Reflect.get(fields, name))];
  return candidates.find((candidate) => candidate instanceof Error);
}
