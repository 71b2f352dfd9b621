// The logger of a request. It creates its child logger of pino when the request logs its first line.
import type { FastifyBaseLogger } from 'fastify';

type LogFn = FastifyBaseLogger['info'];
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
/** The levels in ascending order of severity. */
const LEVEL_ORDER: readonly string[] = [...LEVELS, 'silent'];

/**
 * A child logger of `log` with `bindings`. The child is created at first use, because redaction makes child loggers
 * expensive and most requests log nothing.
 */
export class LazyChildLogger implements FastifyBaseLogger {
  declare readonly trace: LogFn;
  declare readonly debug: LogFn;
  declare readonly info: LogFn;
  declare readonly warn: LogFn;
  declare readonly error: LogFn;
  declare readonly fatal: LogFn;
  readonly #log: FastifyBaseLogger;
  readonly #bindings: Record<string, unknown>;
  #child: FastifyBaseLogger | undefined;

  constructor(log: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.#log = log;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#log.level;
  }

  silent(): void {}

  child(bindings: Record<string, unknown>, options?: Parameters<FastifyBaseLogger['child']>[1]): FastifyBaseLogger {
    return this.#getChild().child(bindings, options);
  }

  write(level: (typeof LEVELS)[number], args: readonly unknown[]): void {
    if (LEVEL_ORDER.indexOf(level) < LEVEL_ORDER.indexOf(this.#log.level)) return;
    const child = this.#getChild();
    Reflect.apply(child[level], child, args);
  }

  #getChild(): FastifyBaseLogger {
    this.#child ??= this.#log.child(this.#bindings);
    return this.#child;
  }
}

// Defines the methods that the class declares, which Fastify requires. They are on the prototype and not created per
// logger, because every request has a logger.
for (const level of LEVELS) {
  Object.defineProperty(LazyChildLogger.prototype, level, {
    value(this: LazyChildLogger, ...args: unknown[]) {
      this.write(level, args);
    },
  });
}
