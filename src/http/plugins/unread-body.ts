// Bodies that nothing reads, because the request was refused by its head: the answer goes out at once, and the rest of
// the body is discarded.
import type { FastifyInstance, FastifyRequest } from 'fastify';

type Socket = FastifyRequest['socket'];

/**
 * Bytes of a body that are read to keep the connection. A longer body, or one of unknown length, ends the connection.
 */
const KEPT_CONNECTION = 8 * 2 ** 20;
/** ms for which the rest of a body is discarded. Some clients read the answer only after they have sent everything. */
const DISCARD_TIME = 10_000;
/** Bytes that are discarded in this time. */
const DISCARD_LIMIT = 64 * 2 ** 20;
/** ms between two checks of both. */
const DISCARD_CHECK = 1_000;

/**
 * Ends connections whose request is answered before its body has arrived, in a way that the client still receives the
 * answer: the sending side closes, and what arrives is discarded for a limited time. Register it after the other
 * `onSend` hooks.
 */
export function registerUnreadBody(app: FastifyInstance): void {
  const discarding = new Set<Socket>();
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isUnread(request)) {
      reply.header('connection', 'close');
      discardRest(request.raw.socket, discarding);
    }
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    for (const socket of discarding) socket.destroy();
  });
}

/** Whether a part of the body is still to come that is too long to wait for. */
function isUnread({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete !== false) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > KEPT_CONNECTION;
}

/**
 * Node closes a socket with `destroySoon`, which resets the connection when unread bytes have arrived: the client would
 * lose the answer.
 */
function discardRest(socket: Socket, discarding: Set<Socket>): void {
  socket.destroySoon = () => {
    if (socket.destroyed || discarding.has(socket)) return;
    const start = socket.bytesRead;
    const end = performance.now() + DISCARD_TIME;
    discarding.add(socket);
    const timer = setInterval(() => {
      if (performance.now() >= end || socket.bytesRead - start > DISCARD_LIMIT) socket.destroy();
    }, DISCARD_CHECK);
    socket.once('close', () => {
      clearInterval(timer);
      discarding.delete(socket);
    });
    socket.end();
  };
}
