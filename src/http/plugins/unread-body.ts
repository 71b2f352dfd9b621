// Handles bodies of requests that were refused before their body was read: the response is sent immediately, and the
// rest of the body is discarded. Decision D-153.
import type { FastifyInstance, FastifyRequest } from 'fastify';

type Socket = FastifyRequest['socket'];

/**
 * Maximum length in bytes of an unread body that Node.js reads to its end, so that the connection can be kept. A longer
 * body, or a body of unknown length, ends the connection.
 */
const MAX_KEEP_ALIVE_BYTES = 8 * 2 ** 20;
/**
 * How long the rest of a body is discarded, in ms. Some clients only read the response after they have sent everything.
 */
const DISCARD_TIME_MS = 10_000;
/** Maximum number of bytes that are discarded. */
const DISCARD_LIMIT_BYTES = 64 * 2 ** 20;
/** ms between two checks of the time and of the number of bytes. */
const DISCARD_CHECK_MS = 1_000;

/**
 * Ends the connection of a request that gets a response before its body has arrived, if the body is long or of unknown
 * length. So that the client still receives the response, only the sending side is closed at first, and the rest of the
 * body is discarded for a limited time. Call this function after the `onSend` hooks that wait are registered, because
 * the rest of the body can arrive while they wait.
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

/** Whether the body has not arrived completely and is too long to wait for. */
function isUnread({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete !== false) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_KEEP_ALIVE_BYTES;
}

/**
 * Replaces `destroySoon` of the socket, which Node.js calls after the response to close the socket. The original
 * function resets the connection if unread bytes have arrived, and the client would lose the response. The new function
 * closes the sending side only. Node.js discards the bytes that still arrive.
 */
function discardRest(socket: Socket, discarding: Set<Socket>): void {
  socket.destroySoon = () => {
    if (socket.destroyed || discarding.has(socket)) return;
    const startBytes = socket.bytesRead;
    const endTime = performance.now() + DISCARD_TIME_MS;
    discarding.add(socket);
    const timer = setInterval(() => {
      if (performance.now() >= endTime || socket.bytesRead - startBytes > DISCARD_LIMIT_BYTES) socket.destroy();
    }, DISCARD_CHECK_MS);
    socket.once('close', () => {
      clearInterval(timer);
      discarding.delete(socket);
    });
    socket.end();
  };
}
