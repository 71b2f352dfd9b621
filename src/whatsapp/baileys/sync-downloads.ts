// Limits the downloads that Baileys makes with fetch(): history and app state. Baileys waits for them while it handles
// a message or a notification, so a download that does not end would block all messages of the account. Decision D-191.

/** A dispatcher of fetch(): the object that sends its requests. */
export type FetchDispatcher = NonNullable<RequestInit['dispatcher']>;
type Handler = Parameters<FetchDispatcher['dispatch']>[1];
type Method<Name extends keyof Handler> = NonNullable<Handler[Name]>;
type Controller = Parameters<Method<'onRequestStart'>>[0];

export interface DownloadLimits {
  /** Maximum time without data, ms. */
  idleTimeout: number;
  /** Maximum duration of a download, ms. */
  timeout: number;
  /** Maximum size of a file, bytes. */
  maxBytes: number;
}

/** Phones send history in compressed files of a few MiB. The app state of 100,000 contacts has about 30 MiB. */
export const SYNC_DOWNLOAD_LIMITS: DownloadLimits = {
  idleTimeout: 20_000,
  timeout: 120_000,
  maxBytes: 64 * 1024 * 1024,
};

/** The error of a download that exceeds its limits, or whose host is no media host. */
export class DownloadLimitError extends Error {
  override name = 'DownloadLimitError';
  /** True when every attempt would fail. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false }: { isFinal?: boolean } = {}) {
    super(message);
    this.isFinal = isFinal;
  }
}

/**
 * Returns a dispatcher whose requests go through `dispatcher` and fail with DownloadLimitError when they exceed
 * `limits`. Requests are allowed only to hosts (with an optional port) for which `isMediaHost` returns true. Baileys
 * appends a path from the phone's message to the host name, so a forged path can name another host.
 */
export function withDownloadLimits(
  dispatcher: FetchDispatcher,
  { isMediaHost, ...limits }: DownloadLimits & { isMediaHost: (host: string) => boolean },
): FetchDispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const host = new URL(String(options.origin)).host;
    if (!isMediaHost(host)) throw new DownloadLimitError(`${host} is no media host`, { isFinal: true });
    return dispatch(options, new LimitedHandler(handler, limits));
  });
}

/**
 * Collects the response of one request, and passes the response to fetch() only when it is complete. Aborts the request
 * when it exceeds its limits. If fetch() got a part of the response before an error, it would report the error only
 * through the body. Baileys pipes the body without a listener for errors: the error would end the session, and the
 * download would never end.
 */
class LimitedHandler implements Handler {
  readonly #handler: Handler;
  readonly #limits: DownloadLimits;
  #size = 0;
  #responseStart: Parameters<Method<'onResponseStart'>> | undefined;
  readonly #chunks: Buffer[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(handler: Handler, limits: DownloadLimits) {
    this.#handler = handler;
    this.#limits = limits;
  }

  onRequestStart(...[controller, context]: Parameters<Method<'onRequestStart'>>): void {
    const { idleTimeout, timeout } = this.#limits;
    this.#stopTimers();
    this.#idleTimer = abortAfter(controller, idleTimeout, `the media host sent no data for ${idleTimeout} ms`);
    this.#timer = abortAfter(controller, timeout, `a download took longer than ${timeout} ms`);
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(...event: Parameters<Method<'onResponseStart'>>): void {
    this.#idleTimer?.refresh();
    this.#responseStart = event;
  }

  onResponseData(...[controller, chunk]: Parameters<Method<'onResponseData'>>): void {
    this.#idleTimer?.refresh();
    this.#size += chunk.length;
    const { maxBytes } = this.#limits;
    if (this.#size <= maxBytes) this.#chunks.push(chunk);
    else controller.abort(new DownloadLimitError(`a file has more than ${maxBytes} bytes`, { isFinal: true }));
  }

  onResponseEnd(...event: Parameters<Method<'onResponseEnd'>>): void {
    this.#stopTimers();
    const [controller] = event;
    this.#handler.onResponseStarted?.();
    if (this.#responseStart) this.#handler.onResponseStart?.(...this.#responseStart);
    for (const chunk of this.#chunks) this.#handler.onResponseData?.(controller, chunk);
    this.#handler.onResponseEnd?.(...event);
  }

  onResponseError(...event: Parameters<Method<'onResponseError'>>): void {
    this.#stopTimers();
    this.#handler.onResponseError?.(...event);
  }

  #stopTimers(): void {
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#timer);
  }
}

const abortAfter = (controller: Controller, ms: number, message: string): NodeJS.Timeout =>
  setTimeout(() => controller.abort(new DownloadLimitError(message)), ms);
