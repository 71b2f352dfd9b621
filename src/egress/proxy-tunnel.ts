// Connections through a proxy that somebody chose: HTTP CONNECT, over TCP or TLS, and SOCKS5. Owns the handshakes with it; which
// addresses a proxy may have is decided by whoever dials (client.ts).
import { isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface ProxyAddress {
  protocol: 'http' | 'https' | 'socks5';
  /** Name or address. */
  host: string;
  port: number;
  /** Empty: the proxy wants no credentials. */
  username: string;
  password: string;
}

/** A connection to `host`, as the proxy makes it; names are resolved by the proxy. Rejects with what the proxy said. */
export type Tunnel = (host: string, port: number) => Promise<Socket>;

/** ms for proxy and target together. */
const CONNECT_TIMEOUT = 10_000;
/** Bytes of an answer that a proxy may need to say yes or no. */
const MAX_ANSWER = 16 * 1024;

export interface TunnelDeps {
  /** A TCP connection to the proxy itself. */
  dial: (host: string, port: number) => Promise<Socket>;
  /** Authorities for `https` proxies; Node's own when absent, PEM. */
  ca?: readonly string[];
}

export function createTunnel(proxy: ProxyAddress, { dial, ca }: TunnelDeps): Tunnel {
  const open = async (host: string, port: number, late: AbortSignal): Promise<Socket> => {
    let socket = await dial(proxy.host, proxy.port);
    late.addEventListener('abort', () => socket.destroy(failure('it does not answer')));
    late.throwIfAborted();
    try {
      if (proxy.protocol === 'https') socket = await secured(socket, proxy.host, ca);
      if (proxy.protocol === 'socks5') await askSocks(socket, proxy, host, port);
      else await askHttp(socket, proxy, host, port);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
  return async (host, port) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(failure('it does not answer')), CONNECT_TIMEOUT);
    try {
      return await open(host, port, late.signal);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** An error about the proxy, with a `code` for callers. */
const failure = (words: string): Error => Object.assign(new Error(`proxy: ${words}`), { code: 'EPROXY' });

function secured(socket: Socket, host: string, ca: TunnelDeps['ca']): Promise<Socket> {
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

async function askHttp(
  socket: Socket,
  { username, password }: ProxyAddress,
  host: string,
  port: number,
): Promise<void> {
  const target = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  const credentials = username ? `Proxy-Authorization: Basic ${pair}\r\n` : '';
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`);
  const answer = await read(socket, (soFar) => {
    const end = soFar.indexOf('\r\n\r\n');
    return end < 0 ? undefined : end + 4;
  });
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer.toString('latin1'))?.[1];
  if (status === undefined) throw failure('it does not speak HTTP');
  if (status === '407') throw failure('it does not accept the credentials');
  if (!status.startsWith('2')) throw failure(`it answered ${status}`);
}

const socksRefusals: Record<number, string> = {
  1: 'it failed',
  2: 'its rules forbid the connection',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'the connection was refused',
  6: 'the connection took too long',
};

/** RFC 1928, with the credentials of RFC 1929. */
async function askSocks(
  socket: Socket,
  { username, password }: ProxyAddress,
  host: string,
  port: number,
): Promise<void> {
  const [open, withPassword] = [0, 2];
  if ([username, password, host].some((text) => Buffer.byteLength(text) > 255))
    throw failure('SOCKS5 has no room for it');
  socket.write(Buffer.from(username ? [5, 2, open, withPassword] : [5, 1, open]));
  const [version, method] = await read(socket, () => 2);
  if (version !== 5) throw failure('it does not speak SOCKS5');
  if (method === withPassword && username) {
    const [user, secret] = [Buffer.from(username), Buffer.from(password)];
    socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]));
    const [, status] = await read(socket, () => 2);
    if (status !== 0) throw failure('it does not accept the credentials');
  } else if (method !== open) throw failure('it wants other credentials');
  const name = Buffer.from(host);
  const target = Buffer.concat([Buffer.from([3, name.length]), name, Buffer.from([port >> 8, port & 0xff])]);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), target]));
  const answer = await read(socket, (soFar) => {
    const [, , , kind, length = 0] = soFar;
    if (soFar.length < 5) return undefined;
    return 6 + (kind === 1 ? 4 : kind === 4 ? 16 : 1 + length);
  });
  const refusal = answer[1] ?? 1;
  if (refusal !== 0) throw failure(socksRefusals[refusal] ?? `it answered ${refusal}`);
}

/** As many bytes as `lengthOf` says, once it can; whatever follows stays unread. */
function read(socket: Socket, lengthOf: (soFar: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let soFar = Buffer.alloc(0);
    const settle = (act: () => void): void => {
      socket.off('readable', take).off('error', fail).off('close', closed);
      act();
    };
    const fail = (error: Error): void => settle(() => reject(error));
    const closed = (): void => fail(failure('it closed the connection'));
    const take = (): void => {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
        soFar = Buffer.concat([soFar, chunk]);
      }
      const length = lengthOf(soFar);
      if (length !== undefined && soFar.length >= length) {
        const [answer, rest] = [soFar.subarray(0, length), soFar.subarray(length)];
        settle(() => {
          if (rest.length > 0) socket.unshift(rest);
          resolve(answer);
        });
      } else if (soFar.length > MAX_ANSWER) fail(failure('it says too much'));
    };
    socket.on('readable', take).on('error', fail).on('close', closed);
    take();
  });
}
