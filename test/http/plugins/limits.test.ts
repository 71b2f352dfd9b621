// Limits of connections, request rates and memory. The tests of slow clients and connections use real sockets.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryLimit } from '../../../src/http/plugins/protection.ts';
import { type Http, KEY, startHttp } from '../../support/http-fixture.ts';

interface Server extends Http {
  url: string;
  /** An open connection on which `head` was written. */
  open(head?: string): Promise<Socket>;
}

async function startServer(env: Record<string, string>): Promise<Server> {
  const http = await startHttp(env);
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  const open = async (head = '') => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    if (head) socket.write(head);
    return socket;
  };
  return Object.assign(http, { url, open });
}

/** Resolves when the connection has ended, also by a reset. A client that writes to a closed connection is reset. */
const waitForClose = (socket: Socket) => new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));

/** Writes `piece` repeatedly. Resolves when the connection has ended. */
async function sendSlowly(socket: Socket, piece: string): Promise<void> {
  const timer = setInterval(() => socket.write(piece), 30);
  try {
    await waitForClose(socket);
  } finally {
    clearInterval(timer);
  }
}

const statusOfOtherClient = async ({ url }: Server) =>
  (await fetch(`${url}/instance/fetchInstances`, { headers: { apikey: KEY } })).status;

describe('slow clients', () => {
  it.each([
    ['headers', 'GET / HTTP/1.1\r\nhost: x\r\n', 'x-a: b\r\n'],
    [
      'a body',
      `POST /instance/create HTTP/1.1\r\nhost: x\r\napikey: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n`,
      '{',
    ],
  ])('a client that sends %s too slowly is disconnected after REQUEST_TIMEOUT, while other clients are served', async (_, head, piece) => {
    const server = await startServer({ REQUEST_TIMEOUT: '400' });
    const slowClients = Promise.all(Array.from({ length: 20 }, async () => sendSlowly(await server.open(head), piece)));
    expect(await statusOfOtherClient(server)).toBe(200);
    await slowClients;
    // A client that still writes when the response arrives can lose it. A client that waits can read the response.
    expect(await text(await server.open(head))).toMatch(/^HTTP\/1\.1 408 .*"status":408.*"code":"REQUEST_INCOMPLETE"/s);
    expect(server.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('a thousand idle connections are closed after REQUEST_TIMEOUT, and other clients are served meanwhile', async () => {
    const server = await startServer({ REQUEST_TIMEOUT: '2000' });
    const idleSockets = await Promise.all(Array.from({ length: 1_000 }, () => server.open()));
    const allClosed = Promise.all(idleSockets.map(waitForClose));
    expect(await statusOfOtherClient(server)).toBe(200);
    await allClosed;
    expect(await statusOfOtherClient(server)).toBe(200);
  });
});

describe('connections', () => {
  it('the server closes connections above MAX_CONNECTIONS, and accepts a new one when another ends', async () => {
    const server = await startServer({ MAX_CONNECTIONS: '2' });
    const [first] = [await server.open(), await server.open()];
    expect(await text(await server.open('GET / HTTP/1.1\r\nhost: x\r\n\r\n')).catch(() => '')).toBe('');
    const requested = new Promise((resolve) => void server.app.server.once('request', resolve));
    first.end('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await requested;
    await text(first);
    expect(await text(await server.open('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'))).toMatch(
      / 200 /,
    );
  });

  it('the server responds to invalid HTTP and to too large headers with a JSON error', async () => {
    const server = await startServer({});
    for (const [head, status, code] of [
      ['hello\r\n\r\n', 400, 'INVALID_REQUEST'],
      [`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
      [`GET /${'y'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ] as const) {
      const answer = await text(await server.open(head));
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ status, code });
    }
  });
});

describe('invalid data after a request', () => {
  it('invalid data after a request closes the connection, without a response to the request in progress', async () => {
    const server = await startServer({});
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const { promise: finish, resolve: end } = Promise.withResolvers<void>();
    const { create } = server.manager;
    server.manager.create = async (input) => {
      resolve();
      await finish;
      return create(input);
    };
    const body = JSON.stringify({ instanceName: 'new' });
    const socket = await server.open(
      `POST /instance/create HTTP/1.1\r\nhost: x\r\napikey: ${KEY}\r\ncontent-type: application/json\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    let received = '';
    socket.on('data', (data) => {
      received += String(data);
    });
    await started;
    socket.write('garbage\r\n\r\n');
    await once(socket, 'close');
    end();
    expect(received).toBe('');
  });
});

describe('RATE_LIMIT', () => {
  const listWithKey = (http: Http, apikey: string) =>
    http.call('GET', '/instance/fetchInstances', undefined, { apikey });

  it('RATE_LIMIT counts each key separately, and a request above it gets 429 with Retry-After', async () => {
    const http = await startHttp({ RATE_LIMIT: '2' });
    for (const status of [200, 200, 429]) expect((await listWithKey(http, 'shop-key')).status).toBe(status);
    const limited = await listWithKey(http, 'shop-key');
    expect(limited.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await listWithKey(http, 'other-key')).status).toBe(200);
    expect((await listWithKey(http, KEY)).status).toBe(200);
    expect((await http.call('GET', '/livez', undefined, { apikey: 'shop-key' })).status).toBe(200);
  });

  it('RATE_LIMIT has no effect unless it is set', async () => {
    const http = await startHttp();
    for (let n = 0; n < 300; n++) expect((await listWithKey(http, KEY)).status).toBe(200);
  });
});

describe('OVERLOAD_MEMORY', () => {
  it('a process above OVERLOAD_MEMORY refuses requests with 503 and Retry-After, but responds to /livez', async () => {
    const http = await startHttp({ OVERLOAD_MEMORY: '1' });
    const listInstances = () => http.call('GET', '/instance/fetchInstances');
    // The process checks its memory once per second.
    await expect.poll(async () => (await listInstances()).status).toBe(503);
    const refused = await listInstances();
    expect(refused.body).toMatchObject({ status: 503, code: 'OVERLOADED' });
    expect(refused.headers['retry-after']).toBe('10');
    expect(await http.call('GET', '/readyz')).toMatchObject({ status: 503, body: { checks: { load: false } } });
    expect((await http.call('GET', '/livez')).status).toBe(200);
    expect((await http.call('GET', '/metrics')).text).toMatch(/route="\/instance\/fetchInstances",status="503"/);
  });

  it('memoryLimit() returns OVERLOAD_MEMORY, or nine tenths of the memory of the container', () => {
    expect(memoryLimit(512, 1e9)).toBe(512 * 2 ** 20);
    expect(memoryLimit(0, 1e9)).toBe(9e8);
    expect(memoryLimit(0, 2 ** 64)).toBe(0);
    expect(memoryLimit(0, 0)).toBe(0);
  });
});
