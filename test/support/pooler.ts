// A connection pooler in transaction mode for PostgreSQL. Many clients share a few connections to the server. A client
// has a server connection for one transaction. Other clients then see its session state (SET, prepared statements,
// temporary tables).
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Pooler {
  /** The URL of the same database through the pooler. */
  urlOf(databaseUrl: string): string;
  /** Number of transactions that ran on another server connection than the previous one of the same client. */
  readonly switches: number;
  /** Number of statements that clients prepared under a name. */
  readonly prepared: number;
  close(): Promise<void>;
}

/** One connection to the server. */
interface Server {
  socket: Socket;
  /** The client whose transaction the connection runs. */
  client: Client | undefined;
}

type Count = { switches: number; prepared: number };

/** The connections to one database. */
interface Pool {
  url: URL;
  size: number;
  servers: Set<Server>;
  /** Idle connections, the longest idle one first. It is assigned next, so that clients often change connections. */
  idle: Server[];
  queue: Client[];
}

interface Client {
  socket: Socket;
  pool: Pool;
  server: Server | undefined;
  before: Server | undefined;
  /** Packets to send when the client gets a server connection. */
  waiting: Buffer[];
  /** Number of requests without a complete answer. `isAsking` is true while a request is incomplete. */
  owed: number;
  isAsking: boolean;
}

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const PROTOCOL_3 = 196608;
/** Parameters of a login that poolers track for each client. They refuse a login with any other parameter. */
const PARAMETERS = ['user', 'database', 'client_encoding', 'application_name', 'DateStyle', 'TimeZone'];

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const packet = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const errorPacket = (sentence: string): Buffer =>
  packet('E', text('SFATAL'), text('VFATAL'), text('C08P01'), text(`M${sentence}`), Buffer.of(0));
const GREETING = Buffer.concat([
  packet('R', int32(0)),
  packet('S', text('server_version'), text('18.0')),
  packet('S', text('client_encoding'), text('UTF8')),
  packet('S', text('standard_conforming_strings'), text('on')),
  packet('K', int32(1), int32(1)),
  packet('Z', Buffer.from('I')),
]);

/** Calls `onPacket` with each complete packet of a stream and its type. The first packet of a client has no type. */
function splitPackets(socket: Socket, hasType: () => boolean, onPacket: (type: string, whole: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = hasType() ? 1 : 0;
      const end = rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const whole = rest.subarray(0, end);
      rest = rest.subarray(end);
      onPacket(head ? String.fromCharCode(whole[0] ?? 0) : '', whole);
    }
  });
}

/** Starts a pooler on loopback with up to `servers` connections for each database. */
export async function startPooler(servers: number): Promise<Pooler> {
  const pools = new Map<string, Pool>();
  const sockets = new Set<Socket>();
  const count = { switches: 0, prepared: 0 };
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveClient(socket, pools, count);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      const pool = { url: new URL(databaseUrl), size: servers, servers: new Set<Server>(), idle: [], queue: [] };
      pools.set(url.pathname.slice(1), pool);
      url.port = String(typeof address === 'object' ? address?.port : 0);
      return url.href;
    },
    get switches() {
      return count.switches;
    },
    get prepared() {
      return count.prepared;
    },
    async close() {
      listener.close();
      for (const pool of pools.values()) for (const { socket } of pool.servers) socket.destroy();
      for (const socket of sockets) socket.destroy();
      if (listener.listening) await once(listener, 'close');
    },
  };
}

function serveClient(socket: Socket, pools: Map<string, Pool>, count: Count): void {
  let client: Client | undefined;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => client && removeClient(client));
  splitPackets(
    socket,
    () => client !== undefined,
    (type, whole) => {
      if (client) forwardRequest(client, type, whole, count);
      else client = acceptClient(socket, whole, pools);
    },
  );
}

/** Handles the first packet of a client. Declines TLS. Accepts the login without a password. */
function acceptClient(socket: Socket, whole: Buffer, pools: Map<string, Pool>): Client | undefined {
  const code = whole.readInt32BE(4);
  if (code === SSL_REQUEST || code === GSS_REQUEST) {
    socket.write('N');
    return undefined;
  }
  const parameters = whole.subarray(8).toString().split('\0');
  const names = parameters.filter((name, index) => index % 2 === 0 && name !== '');
  const unsupportedName = names.find((name) => !PARAMETERS.includes(name));
  const pool = pools.get(parameters[parameters.indexOf('database') + 1] ?? '');
  if (code !== PROTOCOL_3 || unsupportedName !== undefined || !pool) {
    socket.end(errorPacket(unsupportedName ? `unsupported startup parameter: ${unsupportedName}` : 'no such database'));
    return undefined;
  }
  socket.write(GREETING);
  return { socket, pool, server: undefined, before: undefined, waiting: [], owed: 0, isAsking: false };
}

function forwardRequest(client: Client, type: string, whole: Buffer, count: Count): void {
  if (type === 'X') {
    client.socket.end();
    return;
  }
  if (type === 'P' && whole[5] !== 0) count.prepared += 1;
  const isWhole = type === 'Q' || type === 'S';
  if (isWhole) client.owed += 1;
  client.isAsking = !isWhole;
  if (client.server) {
    client.server.socket.write(whole);
    return;
  }
  if (client.waiting.push(whole) > 1) return;
  client.pool.queue.push(client);
  assignServers(client.pool, count);
}

/**
 * Assigns idle connections to waiting clients. Opens another connection if clients still wait and the pool has room.
 */
function assignServers(pool: Pool, count: Count): void {
  while (pool.queue.length > 0) {
    const server = pool.idle.shift();
    if (!server) break;
    const client = pool.queue.shift();
    if (!client) break;
    if (client.before && client.before !== server) count.switches += 1;
    client.before = server;
    client.server = server;
    server.client = client;
    server.socket.write(Buffer.concat(client.waiting.splice(0)));
  }
  if (pool.queue.length > 0 && pool.servers.size < pool.size) openServer(pool, count);
}

/** Opens a connection to the server and logs in. When that fails, waiting clients get an error and are disconnected. */
function openServer(pool: Pool, count: Count): void {
  const { url } = pool;
  const server: Server = { socket: connect(Number(url.port), url.hostname), client: undefined };
  const { socket } = server;
  let isReady = false;
  pool.servers.add(server);
  socket.setNoDelay(true);
  socket.on('connect', () => {
    const login = ['user', url.username, 'database', url.pathname.slice(1), ''].map(text);
    socket.write(packet('', int32(PROTOCOL_3), ...login));
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    pool.servers.delete(server);
    pool.idle = pool.idle.filter((one) => one !== server);
    const affectedClients = isReady ? [server.client] : pool.queue.splice(0);
    for (const client of affectedClients) client?.socket.end(errorPacket('the server connection was lost'));
    assignServers(pool, count);
  });
  splitPackets(
    socket,
    () => true,
    (type, whole) => {
      if (server.client) forwardAnswer(server, type, whole, count);
      else if (type === 'R' && whole.readInt32BE(5) === 3) socket.write(packet('p', text(url.password)));
      else if (type === 'Z') {
        isReady = true;
        pool.idle.push(server);
        assignServers(pool, count);
      }
    },
  );
}

/** Forwards an answer of the server. Outside a transaction and without open requests, the connection becomes idle. */
function forwardAnswer(server: Server, type: string, whole: Buffer, count: Count): void {
  const { client } = server;
  if (!client) return;
  client.socket.write(whole);
  if (type !== 'Z') return;
  client.owed -= 1;
  if (client.owed > 0 || client.isAsking || whole.subarray(5).toString() !== 'I') return;
  server.client = undefined;
  client.server = undefined;
  client.pool.idle.push(server);
  assignServers(client.pool, count);
}

/** Removes a client. Closes its server connection, so that the server rolls back an unfinished transaction. */
function removeClient(client: Client): void {
  client.pool.queue = client.pool.queue.filter((one) => one !== client);
  const { server } = client;
  if (!server) return;
  server.client = undefined;
  server.socket.destroy();
}
