// The log of one request.
import type { FastifyBaseLogger } from 'fastify';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
type LogFn = FastifyBaseLogger['info'];
const order: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const nothing: LogFn = () => undefined;

/** The child of `log` with `bindings`, made with its first line: looking for secrets makes children dear, and most requests write none. */
export class LateChild implements FastifyBaseLogger {
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
  get silent(): LogFn {
    return nothing;
  }
  get trace(): LogFn {
    return this.#at('trace');
  }
  get debug(): LogFn {
    return this.#at('debug');
  }
  get info(): LogFn {
    return this.#at('info');
  }
  get warn(): LogFn {
    return this.#at('warn');
  }
  get error(): LogFn {
    return this.#at('error');
  }
  get fatal(): LogFn {
    return this.#at('fatal');
  }

  child(bindings: Record<string, unknown>, options?: Parameters<FastifyBaseLogger['child']>[1]): FastifyBaseLogger {
    return this.#made().child(bindings, options);
  }

  #made(): FastifyBaseLogger {
    this.#child ??= this.#log.child(this.#bindings);
    return this.#child;
  }

  #at(level: Level): LogFn {
    if (order.indexOf(level) < order.indexOf(this.#log.level)) return nothing;
    const child = this.#made();
    return child[level].bind(child);
  }
}
