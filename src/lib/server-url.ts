// The base URL of the server for texts that are created outside of a request, such as webhooks and their links.

/** Hosts that mean every address of the machine. */
const ANY_HOST: readonly string[] = ['0.0.0.0', '::', ''];

/** Whether a server on `host` listens on every address of the machine. */
export const isAnyHost = (host: string): boolean => ANY_HOST.includes(host);

/** A host name or address as URLs write it: IPv6 in brackets. */
export const toUrlHost = (host: string): string => (/:/.test(host) ? `[${host}]` : host);

export interface ServerUrlOptions {
  /** SERVER_URL, or ''. */
  serverUrl: string;
  serverType: 'http' | 'https';
  host: string;
  /** 0: a free port, which `listening` reports. */
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
  listening(port: number): void {
    this.#port = port;
  }

  /**
   * Without a trailing slash. A server on all addresses has the host `localhost`, which is correct only on its own
   * machine.
   */
  get current(): string {
    const { serverUrl, serverType, host } = this.#options;
    return serverUrl || `${serverType}://${isAnyHost(host) ? 'localhost' : toUrlHost(host)}:${this.#port}`;
  }
}
