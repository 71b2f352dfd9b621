// Proxies for tests: HTTP CONNECT, HTTP CONNECT over TLS, and SOCKS5. They record the targets of their connections.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { getTlsIdentity } from '../../packages/sandbox/src/wire/tls.ts';

export interface TestProxy {
  protocol: 'http' | 'https' | 'socks5';
  host: string;
  port: number;
  /** `host:port` of every accepted connection. */
  readonly targets: string[];
  /** Open connections of clients to the proxy. */
  readonly open: Set<Socket>;
}

/** Starts a proxy on loopback. With `credentials`, it requires them. The end of the test stops it. */
export async function startProxy(
  protocol: TestProxy['protocol'],
  credentials?: { username: string; password: string },
): Promise<TestProxy> {
  const targets: string[] = [];
  const open = new Set<Socket>();
  const serve = protocol === 'socks5' ? serveSocks : serveHttp;
  const acceptConnection = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    void serve(socket, { targets, ...(credentials ? { credentials } : {}) });
  };
  const identity = await getTlsIdentity();
  const server: Server =
    protocol === 'https' ? createSecureServer(identity, acceptConnection) : createServer(acceptConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return { protocol, host: '127.0.0.1', port: address.port, targets, open };
}

interface Service {
  targets: string[];
  credentials?: { username: string; password: string };
}

/** Resolves with the next chunk of data. */
const nextChunk = (socket: Socket): Promise<Buffer> => new Promise((resolve) => socket.once('data', resolve));

function connectSockets(socket: Socket, host: string, port: number, connected: () => void): void {
  const target = connect(port, host, () => {
    connected();
    target.pipe(socket);
    socket.pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.on('close', () => target.destroy());
}

async function serveHttp(socket: Socket, { targets, credentials }: Service): Promise<void> {
  const head = (await nextChunk(socket)).toString();
  const [, target = ''] = /^CONNECT (\S+) HTTP/.exec(head) ?? [];
  const [, credentialsInRequest] = /^proxy-authorization: basic (\S+)/im.exec(head) ?? [];
  const expectedCredentials =
    credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  if (expectedCredentials !== credentialsInRequest)
    return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  if (target.includes('forbidden')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  targets.push(target);
  const { hostname, port } = new URL(`http://${target}`);
  // The answer arrives in two pieces, which can happen on a network.
  connectSockets(socket, hostname, Number(port || 80), () => {
    socket.write('HTTP/1.1 200 Connection');
    socket.write(' established\r\n\r\n');
  });
}

async function serveSocks(socket: Socket, { targets, credentials }: Service): Promise<void> {
  const greeting = await nextChunk(socket);
  const method = credentials ? 2 : 0;
  if (!greeting.subarray(2).includes(method)) return void socket.end(Buffer.from([5, 0xff]));
  socket.write(Buffer.from([5, method]));
  if (credentials) {
    const login = await nextChunk(socket);
    const [, length = 0] = login;
    const username = login.subarray(2, 2 + length).toString();
    const password = login.subarray(3 + length).toString();
    const isValid = username === credentials.username && password === credentials.password;
    socket.write(Buffer.from([1, isValid ? 0 : 1]));
    if (!isValid) return void socket.end();
  }
  const connectRequest = await nextChunk(socket);
  // Address type 1 is an IPv4 address in four bytes. Type 3 is a name after a byte with its length.
  const host =
    connectRequest[3] === 1
      ? connectRequest.subarray(4, 8).join('.')
      : connectRequest.subarray(5, connectRequest.length - 2).toString();
  const port = connectRequest.readUInt16BE(connectRequest.length - 2);
  if (host.includes('forbidden')) return void socket.end(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]));
  targets.push(`${host}:${port}`);
  connectSockets(socket, host, port, () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
}
