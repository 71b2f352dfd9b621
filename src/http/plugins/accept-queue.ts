// Accepts all waiting connections in one turn of the event loop. libuv accepts one connection per turn, so without this
// plugin a process whose turns take 50 ms accepts 20 connections per second. Further connections wait in the kernel
// until their clients give up, and no response tells these clients to retry later. Decision D-186.
import { closeSync } from 'node:fs';
import { type Server, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { loadCFunctions } from '../../lib/c-library.ts';
import { isObject } from '../../lib/json-object.ts';

/** Maximum number of connections that are accepted in one turn. An accept takes up to 0.1 ms. */
const MAX_PER_TURN = 256;
/** Flags of accept4() on Linux: SOCK_NONBLOCK and SOCK_CLOEXEC (child processes do not inherit the connection). */
const ACCEPT_FLAGS = 0o4000 | 0o2000000;

/** Returns the file descriptor of the next waiting connection; a negative number if there is none. */
type AcceptNext = () => number;

/**
 * When libuv has accepted a connection, also accepts the connections that wait behind it. Does nothing on systems other
 * than Linux, or if Node has no node:ffi. Call limitConnections first, which sets `server.maxConnections`.
 */
export function drainAcceptQueue(app: FastifyInstance): void {
  const { server } = app;
  /** Undefined when there is no limit. The types of Node do not declare the value undefined. */
  const limit: number | undefined = server.maxConnections;
  /** Number of all open connections. */
  let connections = 0;
  /** The open connections that drain() has accepted, and not libuv. The server does not count them. */
  const tracked = new Set<Socket>();
  /** Undefined until the server listens, and after it has started to close. */
  let acceptNext: AcceptNext | undefined;
  let isDraining = false;

  /** Lowers the limit of the server by the number of open connections that the server does not count. */
  const updateLimit = () => {
    if (limit !== undefined) server.maxConnections = Math.max(0, limit - tracked.size);
  };
  /** Passes a connection that drain() has accepted to the server. */
  const track = (socket: Socket) => {
    tracked.add(socket);
    socket.once('close', () => {
      tracked.delete(socket);
      updateLimit();
    });
    updateLimit();
    server.emit('connection', socket);
  };
  const drain = (accept: AcceptNext) => {
    for (let count = 0; count < MAX_PER_TURN; count++) {
      // At the limit, the waiting connections are left to the server, which refuses them.
      if (limit !== undefined && connections >= limit) return;
      const fd = accept();
      if (fd < 0) return;
      track(toSocket(fd, server));
    }
  };

  server.on('connection', (connection: Socket) => {
    connections += 1;
    connection.once('close', () => {
      connections -= 1;
    });
    // While draining, this event comes from track().
    if (isDraining || !acceptNext) return;
    isDraining = true;
    try {
      drain(acceptNext);
    } catch (err) {
      app.log.warn({ err }, 'server.accept.failed');
    } finally {
      isDraining = false;
    }
  });
  let isStopping = false;
  server.once('listening', () => {
    void loadAccept(server).then((loaded) => {
      if (!isStopping) acceptNext = loaded;
    });
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    acceptNext = undefined;
  });
  // server.close() waits only for the connections that the server counts. This hook waits for the tracked connections.
  app.addHook('onClose', async () => {
    server.closeIdleConnections();
    await Promise.all([...tracked].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  });
}

async function loadAccept(server: Server): Promise<AcceptNext | undefined> {
  const listener = descriptorOf(server);
  if (process.platform !== 'linux' || listener === undefined) return undefined;
  const library = await loadCFunctions({
    accept4: { arguments: ['i32', 'pointer', 'pointer', 'i32'], return: 'i32' },
  });
  // The null pointers mean that the address of the client is not read.
  return library && (() => library.accept4(listener, 0n, 0n, ACCEPT_FLAGS));
}

/** A socket with the options that Node gives to the sockets that the server accepts. */
function toSocket(fd: number, server: Server): Socket {
  try {
    const allowHalfOpen = Reflect.get(server, 'allowHalfOpen') === true;
    return new Socket({ fd, readable: true, writable: true, allowHalfOpen }).setNoDelay(true);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The descriptor of the listening socket. Node has no public property for it. */
function descriptorOf(server: Server): number | undefined {
  const handle: unknown = Reflect.get(server, '_handle');
  const fd: unknown = isObject(handle) ? handle.fd : undefined;
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
}
