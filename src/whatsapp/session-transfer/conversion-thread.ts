// The thread that reads and writes session bundles. It starts with an import or export, and ends when it is idle, takes
// too long or needs too much memory.
import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../errors.ts';
import type { Answers, Reply, Request } from './thread-messages.ts';

/** Maximum heap of the thread, MiB. The largest session that is allowed needs about half of it. */
const MAX_HEAP_MB = 1024;
/** Maximum duration of one request, ms. */
const REQUEST_TIMEOUT = 120_000;
/** ms after the last import or export, after which the thread ends. Starting one takes about 0.3 s of CPU time. */
const IDLE_TIME = 5_000;

/** Text for a session that ends the thread. */
const TOO_LARGE = 'The session is too large, or takes too long to convert.';

export class ConversionThread {
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  /**
   * Sends one request and resolves with the value of the reply. Call it again only when the reply has arrived. The
   * request `begin` starts the thread if necessary. Rejects with a GatewayError: the failure of the request, or
   * SESSION_BUNDLE_INVALID when the thread ran out of time or memory.
   */
  async request<T extends Request['type']>(request: Extract<Request, { type: T }>): Promise<Answers[T]> {
    clearTimeout(this.#idleTimer);
    const worker = request.type === 'begin' ? this.#start() : this.#worker;
    // A new thread lacks what the one before has received.
    if (!worker) throw new GatewayError('SESSION_BUNDLE_INVALID', [TOO_LARGE]);
    worker.ref();
    try {
      const reply = await exchange<Answers[T]>(worker, request);
      if ('value' in reply) return reply.value;
      const { code, message, trace } = reply.failure;
      if (code !== 'INTERNAL') throw new GatewayError(code, [message]);
      const cause = Object.assign(new Error('the conversion failed'), { stack: trace });
      throw new GatewayError(code, message, { cause });
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      this.end();
      throw new GatewayError('SESSION_BUNDLE_INVALID', [TOO_LARGE], { cause });
    } finally {
      // An idle thread does not keep the process running.
      worker.unref();
    }
  }

  /** Says that the import or export is over. The thread ends when no other one begins in time. */
  release(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.end(), IDLE_TIME).unref();
  }

  /** Ends the thread; the next `begin` starts another one. */
  end(): void {
    clearTimeout(this.#idleTimer);
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      env: {},
    });
    // A thread that fails while it is idle must not end the process.
    worker.on('error', () => {
      if (this.#worker === worker) this.end();
    });
    this.#worker = worker;
    return worker;
  }
}

/** Sends the request. Resolves with the reply. Rejects when the thread ends first, or takes too long. */
async function exchange<T>(worker: Worker, request: Request): Promise<Reply<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply<T>>();
  const onExit = () => reject(new Error('the thread ended'));
  // A thread that parses JSON ends only after that, so the caller does not wait for its end.
  const timer = setTimeout(() => reject(new Error('the thread did not answer in time')), REQUEST_TIMEOUT);
  worker.once('message', resolve).once('error', reject).once('exit', onExit);
  worker.postMessage(request);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', reject).off('exit', onExit);
  }
}
