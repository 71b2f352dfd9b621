// Makes `request.ip` a string for every request. The system forgets the address of a connection that its client resets,
// so that Node.js returns undefined.
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** `request.ip` of a client whose connection was reset before its address was read. */
const UNKNOWN_ADDRESS = 'unknown';

/** Call this function before hooks that read `request.ip` are registered. */
export function registerClientAddress(app: FastifyInstance): void {
  const server: unknown = app.server;
  // Reads the address at once, because Node.js keeps an address that was read. When a request arrives, the client can
  // already have reset the connection.
  app.server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: FastifyRequest['socket']) => {
    void socket.remoteAddress;
  });
  app.addHook('onRequest', (request, _reply, done) => {
    // `configurable`, because plugins/peer-headers.ts can define the property again.
    if (request.ip === undefined) Object.defineProperty(request, 'ip', { value: UNKNOWN_ADDRESS, configurable: true });
    done();
  });
}
