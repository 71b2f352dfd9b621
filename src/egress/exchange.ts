// Sends one request without redirects and collects the response. Webhooks use this file for every event. It avoids the
// streams and abort signals of undici's request(), which take more time than the request itself.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from './undici.ts';

export interface ExchangeLimits {
  /** ms from the call to the last byte of the response. */
  timeout: number;
  /** Maximum size of the response body in bytes. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface ExchangeResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the body was larger than `maxBytes`. The body is then empty, and the connection is closed. */
  isOversize: boolean;
}

type ExchangeRequest = Pick<Dispatcher.DispatchOptions, 'origin' | 'path' | 'method' | 'headers' | 'body'>;

/**
 * Sends a request with `agent`. Rejects with the reason of `signal`, with the code ETIMEDOUT after `timeout`, or with
 * an error that has a code of Node or undici.
 */
export function exchange(
  agent: Pick<Dispatcher, 'dispatch'>,
  request: ExchangeRequest,
  limits: ExchangeLimits,
): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const collector = new ResponseCollector(limits, { resolve, reject });
    // The collector is done already when the signal was aborted before the call. Then no request is sent.
    if (!collector.isDone) agent.dispatch(request, collector);
  });
}

interface Settlers {
  resolve: (response: ExchangeResponse) => void;
  reject: (error: unknown) => void;
}

class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #settlers: Settlers;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  /** The reason why the exchange ended early. */
  #abortReason: Error | undefined;
  /** Whether the promise of exchange() is settled. */
  isDone = false;

  constructor(limits: ExchangeLimits, settlers: Settlers) {
    this.#limits = limits;
    this.#settlers = settlers;
    const { timeout, signal } = limits;
    this.#timer = setTimeout(() => {
      const error = new Error(`no complete answer within ${timeout} ms`);
      this.#abort(Object.assign(error, { code: 'ETIMEDOUT' }));
    }, timeout);
    if (signal?.aborted) this.#onSignal();
    else signal?.addEventListener('abort', this.#onSignal);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The exchange can end while the request waits for a connection.
    if (this.#abortReason) controller.abort(this.#abortReason);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // A response with a status below 200 is followed by another response, whose status and headers replace these.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBytes) this.#resolve({ isOversize: true });
    // The rest of a large body is not downloaded.
    if (this.isDone) this.#controller?.abort(new Error('the response is not needed'));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#resolve({ isOversize: false });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  readonly #onSignal = (): void => {
    const reason: unknown = this.#limits.signal?.reason;
    this.#abort(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
  };

  #abort(reason: Error): void {
    this.#abortReason = reason;
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  #resolve({ isOversize }: { isOversize: boolean }): void {
    if (this.isDone) return;
    this.#finish();
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#settlers.resolve({
      status: this.#status,
      headers: this.#headers,
      body: isOversize ? EMPTY : body,
      isOversize,
    });
  }

  #fail(error: unknown): void {
    if (this.isDone) return;
    this.#finish();
    this.#settlers.reject(error);
  }

  #finish(): void {
    this.isDone = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener('abort', this.#onSignal);
  }
}

const EMPTY = Buffer.alloc(0);
