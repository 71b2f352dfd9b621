// Protects the process against clients that send requests faster than they read the responses. Decision D-189.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { whenClosed } from '../abort-on-close.ts';

type Socket = FastifyRequest['socket'];

/**
 * Maximum number of requests of one connection that wait for their responses. A client can send many requests without
 * waiting (pipelining). Node.js handles all requests that it reads at once, and keeps their responses in memory until
 * the client reads them.
 */
const MAX_PENDING_RESPONSES = 32;
/**
 * Time in ms after which a connection is closed if the client reads nothing of a response. Node.js sees progress in
 * steps of about 1.5 MiB, the size of the buffers of the kernel. A client that reads 20 KiB per second needs 77 s for a
 * step, so its connection stays open.
 */
const STALL_TIMEOUT_MS = 90_000;

/**
 * Closes connections with more than MAX_PENDING_RESPONSES pending responses, and connections whose client does not read
 * the response. Call this function before other hooks are registered, so that no other hook runs for a request beyond
 * the limit.
 */
export function limitPendingResponses(app: FastifyInstance): void {
  const { server } = app;
  const pendingCounts = new WeakMap<Socket, number>();
  const pendingCountOf = (socket: Socket) => pendingCounts.get(socket) ?? 0;

  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    if (pendingCountOf(socket) >= MAX_PENDING_RESPONSES) {
      // Without a call of `done`, Fastify drops the request. Further requests that Node.js has already read are dropped
      // in the same way.
      socket.destroy();
      return;
    }
    pendingCounts.set(socket, pendingCountOf(socket) + 1);
    whenClosed(reply, () => pendingCounts.set(socket, pendingCountOf(socket) - 1));
    done();
  });

  // Node.js emits `timeout` when a connection has sent and received nothing for this time. For a connection between two
  // requests, the time is keepAliveTimeout.
  server.timeout = STALL_TIMEOUT_MS;
  server.on('timeout', (socket: Socket) => {
    const isWaitingForHandler = pendingCountOf(socket) > 0 && socket.writableLength === 0;
    if (!isWaitingForHandler) socket.destroy();
  });
}
