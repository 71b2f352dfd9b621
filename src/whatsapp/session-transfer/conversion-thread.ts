// The thread that reads and writes session bundles. It starts with an import or export, and ends when it is idle, takes
// too long or needs too much memory.
import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../errors.ts';
import type { Reply, ReplyValues, Request } from './thread-messages.ts';

/** Maximum heap of the thread, MiB. The largest session that is allowed needs about half of it. */
const MAX_HEAP_MB = 1024;
/** Maximum duration of one request, ms. */
const REQUEST_TIMEOUT = 120_000;
/**
 * The thread ends this many ms after the last import or export. A new thread takes about 0.3 s of CPU time to start.
 */
const IDLE_TIME = 5_000;

/** Error text when the thread ran out of memory or time. */
const TOO_LARGE = 'The session is too large, or takes too long to convert.';

export class ConversionThread {
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  /**
   * Sends one request and resolves with the value of the reply. Wait for the result before you send the next request.
   * Every import or export starts with the request `begin`, which starts the thread if there is none. Rejects with a
   * GatewayError: the failure of the request, or SESSION_BUNDLE_INVALID when the thread ran out of time or memory.
   */
  async request<T extends Request['type']>(request: Extract<Request, { type: T }>): Promise<ReplyValues[T]> {
    clearTimeout(this.#idleTimer);
    const worker = request.type === 'begin' ? this.#start() : this.#worker;
    // The thread has ended since `begin`. A new thread would lack the data of the earlier requests.
    if (!worker) throw new GatewayError('SESSION_BUNDLE_INVALID', [TOO_LARGE]);
    worker.ref();
    try {
      const reply = await exchange<ReplyValues[T]>(worker, request);
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

  /** Ends the thread after IDLE_TIME, unless another request arrives before. Call it after an import or export. */
  endWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.end(), IDLE_TIME).unref();
  }

  /** Ends the thread. The next `begin` starts a new one. */
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
  // terminate() cannot interrupt JSON.parse(), so the timeout rejects without waiting for the end of the thread.
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
