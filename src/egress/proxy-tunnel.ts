// Connects through a proxy: HTTP CONNECT (over TCP or TLS) and SOCKS5. The caller's `dial` checks the address of the
// proxy and connects to it (connector.ts). SOCKS5 takes about 70 lines here; the package `socks` would need 10 MB of
// memory. Decision D-162.
import { isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { raceWithAbort } from '../lib/deadline.ts';

export interface ProxyAddress {
  protocol: 'http' | 'https' | 'socks5';
  /** Name or IP address. */
  host: string;
  port: number;
  /** Empty when the proxy needs no credentials. */
  username: string;
  password: string;
}

/**
 * Opens a connection to `host` through a proxy, which resolves the name. Rejects as TunnelDeps.dial does, or with an
 * error whose code is EPROXY or one of Node's codes.
 */
export type Tunnel = (host: string, port: number) => Promise<Socket>;

/** Time limit for connecting to the target through the proxy. */
const TUNNEL_TIMEOUT_MS = 10_000;
/** Maximum size of one reply of the proxy during the handshake. */
const MAX_REPLY_BYTES = 16 * 1024;

export interface TunnelDeps {
  /** Opens a TCP connection to the proxy. */
  dial: (host: string, port: number) => Promise<Socket>;
  /** Certificate authorities (PEM) for `https` proxies. Default: Node's. */
  ca?: readonly string[];
}

/** Creates the tunnel through `proxy`. Each call of the tunnel opens a new connection to the proxy. */
export function createTunnel(proxy: ProxyAddress, { dial, ca }: TunnelDeps): Tunnel {
  const open = async (host: string, port: number, deadline: AbortSignal): Promise<Socket> => {
    const dialed = dial(proxy.host, proxy.port);
    let socket = await raceWithAbort(dialed, deadline).catch((error: unknown) => {
      // Closes the connection if it opens after the time limit.
      dialed.then(
        (late) => late.destroy(),
        () => undefined,
      );
      throw error;
    });
    deadline.addEventListener('abort', () => socket.destroy(proxyError('it did not respond')));
    try {
      if (proxy.protocol === 'https') socket = await upgradeToTls(socket, proxy.host, ca);
      if (proxy.protocol === 'socks5') await connectSocks5(socket, proxy, host, port);
      else await connectHttp(socket, proxy, host, port);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
  return async (host, port) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(proxyError('it did not respond')), TUNNEL_TIMEOUT_MS);
    try {
      return await open(host, port, deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The error for a proxy that fails or refuses the connection. */
const proxyError = (reason: string): Error => Object.assign(new Error(`proxy: ${reason}`), { code: 'EPROXY' });

/** Starts TLS to the proxy on the socket. Rejects when the certificate of the proxy is not trusted. */
function upgradeToTls(socket: Socket, host: string, ca: TunnelDeps['ca']): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) ? {} : { servername: host };
    const secure = connectTls({ socket, ...servername, host, ...(ca ? { ca: [...ca] } : {}) });
    secure.once('secureConnect', () => {
      secure.off('error', reject);
      resolve(secure);
    });
    secure.once('error', reject);
  });
}

async function connectHttp(
  socket: Socket,
  { username, password }: ProxyAddress,
  host: string,
  port: number,
): Promise<void> {
  const target = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  const credentials = username ? `Proxy-Authorization: Basic ${pair}\r\n` : '';
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`);
  const reply = await readReply(socket, (received) => {
    const end = received.indexOf('\r\n\r\n');
    return end < 0 ? undefined : end + 4;
  });
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(reply.toString('latin1'))?.[1];
  if (status === undefined) throw proxyError('it does not speak HTTP');
  if (status === '407') throw proxyError('it rejected the credentials');
  if (!status.startsWith('2')) throw proxyError(`it answered ${status}`);
}

/** Constants of RFC 1928 and RFC 1929. */
const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const USERNAME_PASSWORD = 2;
const USERNAME_PASSWORD_VERSION = 1;
const COMMAND_CONNECT = 1;
const ADDRESS_IPV4 = 1;
const ADDRESS_NAME = 3;
const ADDRESS_IPV6 = 4;
const RESERVED = 0;
const SUCCEEDED = 0;
const GENERAL_FAILURE = 1;
/** Length of the reply to the offered authentication methods, and of the reply to the credentials. */
const SHORT_REPLY_BYTES = 2;
/** SOCKS5 encodes the length of a text in one byte. */
const MAX_SOCKS_TEXT_BYTES = 255;

const SOCKS_ERRORS: Record<number, string> = {
  [GENERAL_FAILURE]: 'it failed',
  2: 'its rules forbid the connection',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'the connection was refused',
  6: 'the connection took too long',
};

/** The SOCKS5 handshake of RFC 1928 with the username and password of RFC 1929. */
async function connectSocks5(
  socket: Socket,
  { username, password }: ProxyAddress,
  host: string,
  port: number,
): Promise<void> {
  if ([username, password, host].some((text) => Buffer.byteLength(text) > MAX_SOCKS_TEXT_BYTES))
    throw proxyError(`SOCKS5 allows at most ${MAX_SOCKS_TEXT_BYTES} bytes for host, username and password`);
  const methods = username ? [NO_AUTHENTICATION, USERNAME_PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([SOCKS_VERSION, methods.length, ...methods]));
  const [version, method] = await readReply(socket, () => SHORT_REPLY_BYTES);
  if (version !== SOCKS_VERSION) throw proxyError('it does not speak SOCKS5');
  if (method === USERNAME_PASSWORD && username) {
    socket.write(Buffer.from([USERNAME_PASSWORD_VERSION, ...withLength(username), ...withLength(password)]));
    const [, status] = await readReply(socket, () => SHORT_REPLY_BYTES);
    if (status !== SUCCEEDED) throw proxyError('it rejected the credentials');
  } else if (method !== NO_AUTHENTICATION) throw proxyError('it requires another authentication method');
  const target = [...socksAddress(host), port >> 8, port & 0xff];
  socket.write(Buffer.from([SOCKS_VERSION, COMMAND_CONNECT, RESERVED, ...target]));
  const reply = await readReply(socket, socksReplyLength);
  const status = reply[1] ?? GENERAL_FAILURE;
  if (status !== SUCCEEDED) throw proxyError(SOCKS_ERRORS[status] ?? `it answered ${status}`);
}

/** The address type and the address of a host, as a request contains them. */
function socksAddress(host: string): number[] {
  // isIP() returns 4 or 6 for an address, and 0 for a name.
  const type = { 0: ADDRESS_NAME, 4: ADDRESS_IPV4, 6: ADDRESS_IPV6 }[isIP(host)] ?? ADDRESS_NAME;
  return [type, ...(type === ADDRESS_NAME ? withLength(host) : ipaddr.parse(host).toByteArray())];
}

/**
 * One byte with the length of the text in bytes, then the bytes of the text. RFC 1929 does not allow an empty
 * password. As other clients do, this client sends an empty password with the length 0.
 */
function withLength(text: string): number[] {
  const bytes = Buffer.from(text);
  return [bytes.length, ...bytes];
}

/** The length in bytes of the reply to COMMAND_CONNECT; undefined while fewer than five bytes are received. */
function socksReplyLength(received: Buffer): number | undefined {
  if (received.length < 5) return undefined;
  const [, , , addressType, nameLength = 0] = received;
  // An address follows a header of 4 bytes and precedes a port of 2 bytes.
  const headerAndPort = 6;
  if (addressType === ADDRESS_IPV4) return headerAndPort + 4;
  if (addressType === ADDRESS_IPV6) return headerAndPort + 16;
  return headerAndPort + 1 + nameLength;
}

/**
 * Reads one reply. `lengthOf` returns the length of the reply in bytes, or undefined while the received bytes do not
 * determine it. Bytes after the reply go back into the socket. Rejects when the connection ends, and when the reply is
 * not complete after MAX_REPLY_BYTES.
 */
function readReply(socket: Socket, lengthOf: (received: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.on('readable', onReadable).on('error', fail).on('close', onClose);
    onReadable();

    function settle(callback: () => void): void {
      socket.off('readable', onReadable).off('error', fail).off('close', onClose);
      callback();
    }
    function fail(error: Error): void {
      settle(() => reject(error));
    }
    function onClose(): void {
      fail(proxyError('it closed the connection'));
    }
    function onReadable(): void {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
        received = Buffer.concat([received, chunk]);
      }
      const length = lengthOf(received);
      if (length !== undefined && received.length >= length) {
        const [reply, rest] = [received.subarray(0, length), received.subarray(length)];
        settle(() => {
          if (rest.length > 0) socket.unshift(rest);
          resolve(reply);
        });
      } else if (received.length > MAX_REPLY_BYTES) fail(proxyError('its reply is too long'));
    }
  });
}
