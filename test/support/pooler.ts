// A connection pooler in transaction mode, as operators put one before PostgreSQL: many clients share a few connections to the server, and
// each of these is lent for one transaction. What a client leaves on it (SET, prepared statements, temporary tables) others find.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Pooler {
  /** The same database, reached through the pooler. */
  urlOf(databaseUrl: string): string;
  /** Transactions that ran on another server connection than the one before of the same client. */
  readonly switches: number;
  /** Statements that were prepared under a name, to be found again. */
  readonly prepared: number;
  close(): Promise<void>;
}

/** One connection to the server. */
interface Server {
  socket: Socket;
  /** Whose transaction it runs. */
  client: Client | undefined;
}

type Count = { switches: number; prepared: number };

/** The connections to one database. */
interface Pool {
  url: URL;
  size: number;
  servers: Set<Server>;
  /** The one that waits longest is lent next, so that clients change connections as often as they can. */
  idle: Server[];
  queue: Client[];
}

interface Client {
  socket: Socket;
  pool: Pool;
  server: Server | undefined;
  before: Server | undefined;
  /** For the server it does not have yet. */
  waiting: Buffer[];
  /** Questions that are not answered, and whether one is being asked. */
  owed: number;
  isAsking: boolean;
}

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const PROTOCOL_3 = 196608;
/** What poolers keep apart for each client; every other parameter of a login they refuse, because they could not. */
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
const failure = (sentence: string): Buffer =>
  packet('E', text('SFATAL'), text('VFATAL'), text('C08P01'), text(`M${sentence}`), Buffer.of(0));
const GREETING = Buffer.concat([
  packet('R', int32(0)),
  packet('S', text('server_version'), text('18.0')),
  packet('S', text('client_encoding'), text('UTF8')),
  packet('S', text('standard_conforming_strings'), text('on')),
  packet('K', int32(1), int32(1)),
  packet('Z', Buffer.from('I')),
]);

/** Calls `onPacket` with each whole packet of a stream and its type; the first of a client has none. */
function cut(socket: Socket, hasType: () => boolean, onPacket: (type: string, whole: Buffer) => void): void {
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

/** Listens on loopback; `servers` connections for each database. */
export async function startPooler(servers: number): Promise<Pooler> {
  const pools = new Map<string, Pool>();
  const sockets = new Set<Socket>();
  const count = { switches: 0, prepared: 0 };
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, pools, count);
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

function serve(socket: Socket, pools: Map<string, Pool>, count: Count): void {
  let client: Client | undefined;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => client && leave(client));
  cut(
    socket,
    () => client !== undefined,
    (type, whole) => {
      if (client) ask(client, type, whole, count);
      else client = admit(socket, whole, pools);
    },
  );
}

/** The first packet of a client: its request for TLS is declined, its password not asked for. */
function admit(socket: Socket, whole: Buffer, pools: Map<string, Pool>): Client | undefined {
  const code = whole.readInt32BE(4);
  if (code === SSL_REQUEST || code === GSS_REQUEST) {
    socket.write('N');
    return undefined;
  }
  const given = whole.subarray(8).toString().split('\0');
  const names = given.filter((name, index) => index % 2 === 0 && name !== '');
  const strange = names.find((name) => !PARAMETERS.includes(name));
  const pool = pools.get(given[given.indexOf('database') + 1] ?? '');
  if (code !== PROTOCOL_3 || strange !== undefined || !pool) {
    socket.end(failure(strange ? `unsupported startup parameter: ${strange}` : 'no such database'));
    return undefined;
  }
  socket.write(GREETING);
  return { socket, pool, server: undefined, before: undefined, waiting: [], owed: 0, isAsking: false };
}

function ask(client: Client, type: string, whole: Buffer, count: Count): void {
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
  lend(client.pool, count);
}

/** Gives idle connections to those who wait, and opens what is missing. */
function lend(pool: Pool, count: Count): void {
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
  if (pool.queue.length > 0 && pool.servers.size < pool.size) open(pool, count);
}

/** Logs in at the server. When that fails, waiting clients get the error and are closed. */
function open(pool: Pool, count: Count): void {
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
    const lost = isReady ? [server.client] : pool.queue.splice(0);
    for (const client of lost) client?.socket.end(failure('the server connection was lost'));
    lend(pool, count);
  });
  cut(
    socket,
    () => true,
    (type, whole) => {
      if (server.client) answer(server, type, whole, count);
      else if (type === 'R' && whole.readInt32BE(5) === 3) socket.write(packet('p', text(url.password)));
      else if (type === 'Z') {
        isReady = true;
        pool.idle.push(server);
        lend(pool, count);
      }
    },
  );
}

/** An answer of the server; outside of a transaction, with nothing asked, its connection is free for others. */
function answer(server: Server, type: string, whole: Buffer, count: Count): void {
  const { client } = server;
  if (!client) return;
  client.socket.write(whole);
  if (type !== 'Z') return;
  client.owed -= 1;
  if (client.owed > 0 || client.isAsking || whole.subarray(5).toString() !== 'I') return;
  server.client = undefined;
  client.server = undefined;
  client.pool.idle.push(server);
  lend(client.pool, count);
}

/** What a client did not finish no other may continue: its connection is closed, which makes the server roll back. */
function leave(client: Client): void {
  client.pool.queue = client.pool.queue.filter((one) => one !== client);
  const { server } = client;
  if (!server) return;
  server.client = undefined;
  server.socket.destroy();
}
