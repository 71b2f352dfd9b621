// The base URL of the server for content that is created outside of a request, such as webhooks and the links in them.
// Decision D-157.

/** Values of HOST that mean every address of the machine. */
const WILDCARD_HOSTS: readonly string[] = ['0.0.0.0', '::', ''];

/** Whether a server on `host` listens on every address of the machine. */
export const isWildcardHost = (host: string): boolean => WILDCARD_HOSTS.includes(host);

/** A host name or address as URLs write it: IPv6 in brackets. */
export const toUrlHost = (host: string): string => (/:/.test(host) ? `[${host}]` : host);

export interface ServerUrlOptions {
  /** The setting SERVER_URL; '' when it is not set. */
  serverUrl: string;
  serverType: 'http' | 'https';
  /** The setting HOST. */
  host: string;
  /** 0 lets the system choose a free port. `setPort` then sets the chosen port. */
  port: number;
}

export class ServerUrl {
  readonly #options: ServerUrlOptions;
  #port: number;

  constructor(options: ServerUrlOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  /** Sets the port that the server listens on. */
  setPort(port: number): void {
    this.#port = port;
  }

  /**
   * The URL without a trailing slash. When SERVER_URL is empty and the server listens on all addresses, the host is
   * `localhost`, which only clients on the same machine can use.
   */
  get current(): string {
    const { serverUrl, serverType, host } = this.#options;
    return serverUrl || `${serverType}://${isWildcardHost(host) ? 'localhost' : toUrlHost(host)}:${this.#port}`;
  }
}
