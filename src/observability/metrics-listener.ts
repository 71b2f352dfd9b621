// Serves the metrics on METRICS_PORT without authentication, for a network that only operators can reach.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Metrics } from './metrics.ts';
import type { IpFilter } from './metrics-access.ts';

/** Maximum number of open connections, so that scrapers cannot use up the file descriptors of the process. */
const MAX_CONNECTIONS = 32;
/** Time in ms after which the connection of a client that reads nothing is closed. */
const STALL_TIMEOUT_MS = 30_000;

export interface MetricsListenerOptions {
  host: string;
  port: number;
  isAllowed: IpFilter;
}

/** Serves GET /metrics. Resolves once the server listens. Rejects when the port is unavailable. */
export async function openMetricsListener(
  { registry }: Pick<Metrics, 'registry'>,
  { host, port, isAllowed }: MetricsListenerOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  /** The text that is being created. Requests that arrive together share it. */
  let current: Promise<Buffer> | undefined;
  const createText = () => {
    current ??= registry
      .metrics()
      .then((text) => Buffer.from(text))
      .finally(() => {
        current = undefined;
      });
    return current;
  };
  const server = createServer((request, response) => {
    const refuse = (status: number) => response.writeHead(status, { 'content-type': 'text/plain' }).end(`${status}\n`);
    const path = request.url?.split('?', 1)[0];
    if (!isAllowed(request.socket.remoteAddress ?? '')) return void refuse(403);
    if (path !== '/metrics') return void refuse(404);
    if (request.method !== 'GET' && request.method !== 'HEAD') return void refuse(405);
    createText().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => refuse(500),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = STALL_TIMEOUT_MS;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}/metrics`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
