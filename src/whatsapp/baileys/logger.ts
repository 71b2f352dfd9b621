// What Baileys may write into our log: its message and the error, without numbers and objects (they hold JIDs, nodes and keys).
import type { LevelWithSilent, Logger } from 'pino';
import { CONNECTION_CLOSED, statusOf } from './connection-update.ts';

/** Baileys' ILogger. */
interface BaileysLogger {
  level: string;
  child(fields: Record<string, unknown>): BaileysLogger;
  trace(fields: unknown, text?: string): void;
  debug(fields: unknown, text?: string): void;
  info(fields: unknown, text?: string): void;
  warn(fields: unknown, text?: string): void;
  error(fields: unknown, text?: string): void;
}

const order: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Lines at error level for what is normal or reported by us: every close, the one after pairing included. */
const expected = new Set(['stream errored out']);

/**
 * A logger for makeWASocket that passes on lines of `level` and above. At `trace` and `debug` whole objects go to our debug level;
 * otherwise only texts, with long numbers blanked. Baileys' errors become warnings: it calls a normal 515 an error. What fails because its
 * connection was closed is normal at every end of a session, and goes to our debug level.
 */
export function createBaileysLog(log: Logger, level: LevelWithSilent): BaileysLogger {
  const lowest = order.indexOf(level);
  const whole = lowest <= order.indexOf('debug');
  const line = (at: LevelWithSilent, to: 'debug' | 'info' | 'warn') =>
    order.indexOf(at) < lowest
      ? () => undefined
      : (fields: unknown, text?: string) => {
          if (whole || expected.has(text ?? '')) return log.debug({ baileys: fields }, text ?? 'baileys');
          const error = errorIn(fields);
          const reason = error ? { reason: blank(`${error.name}: ${error.message}`) } : {};
          const isOver = statusOf(error) === CONNECTION_CLOSED;
          log[isOver ? 'debug' : to](
            reason,
            `baileys: ${blank(text ?? (typeof fields === 'string' ? fields : 'line'))}`,
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

const blank = (text: string): string => text.replace(/\d{5,}/g, '…');

/** Where Baileys puts an error: under one of these names, or as the object itself. */
const ERROR_FIELDS = ['err', 'error', 'e', 'ackErr'] as const;

function errorIn(fields: unknown): Error | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined;
  const candidates: unknown[] = [fields, ...ERROR_FIELDS.map((name) => Reflect.get(fields, name))];
  return candidates.find((candidate) => candidate instanceof Error);
}
