// Makes `request.ip` a string for every request. The system forgets the address of a connection that its client resets,
// so that Node.js returns undefined.
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** `request.ip` of a client whose connection was reset before its address was read. */
const UNKNOWN_ADDRESS = 'unknown';

/** Call this function before hooks that read `request.ip` are registered. */
export function registerClientAddress(app: FastifyInstance): void {
  const server: unknown = app.server;
  // Node.js keeps the address once it was read. When a request arrives, its client can already have hung up.
  app.server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: FastifyRequest['socket']) => {
    void socket.remoteAddress;
  });
  app.addHook('onRequest', (request, _reply, done) => {
    // plugins/peer-headers.ts defines the property again.
    if (request.ip === undefined) Object.defineProperty(request, 'ip', { value: UNKNOWN_ADDRESS, configurable: true });
    done();
  });
}
