// The base URL of a server, for what is written without a request at hand: webhooks and the links in them.

/** Hosts that mean every address of the machine. */
const ANY_HOST: readonly string[] = ['0.0.0.0', '::', ''];

/** Whether a server on `host` listens on every address of the machine. */
export const isAnyHost = (host: string): boolean => ANY_HOST.includes(host);

/** A host name or address as URLs write it: IPv6 in brackets. */
export const toUrlHost = (host: string): string => (/:/.test(host) ? `[${host}]` : host);

export interface ServerUrlOptions {
  /** The public URL, when the operator named one; '' otherwise. */
  serverUrl: string;
  serverType: 'http' | 'https';
  host: string;
  /** 0: any free one, known after `listening`. */
  port: number;
}

export class ServerUrl {
  readonly #options: ServerUrlOptions;
  #port: number;

  constructor(options: ServerUrlOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  /** The server listens on `port`. */
  listening(port: number): void {
    this.#port = port;
  }

  /** Without a slash at the end. A server on every address is called `localhost`, which is true on its own machine only. */
  get current(): string {
    const { serverUrl, serverType, host } = this.#options;
    return serverUrl || `${serverType}://${isAnyHost(host) ? 'localhost' : toUrlHost(host)}:${this.#port}`;
  }
}
