// The metrics on a port of their own, without a key: for a network that only the operator's machines are in.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Metrics } from './metrics.ts';
import type { AllowedIps } from './metrics-access.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  isAllowed: AllowedIps;
}

/** Serves GET /metrics. Resolves once it listens, with its address and the way to end it. Rejects when the port cannot be had. */
export async function openMetricsListener(
  { registry }: Pick<Metrics, 'registry'>,
  { host, port, isAllowed }: ListenerOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const refuse = (status: number) => response.writeHead(status, { 'content-type': 'text/plain' }).end(`${status}\n`);
    const path = request.url?.split('?', 1)[0];
    if (!isAllowed(request.socket.remoteAddress ?? '')) return void refuse(403);
    if (path !== '/metrics') return void refuse(404);
    if (request.method !== 'GET' && request.method !== 'HEAD') return void refuse(405);
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => refuse(500),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
