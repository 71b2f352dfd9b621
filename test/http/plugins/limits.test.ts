// Real sockets: what a caller does to the server below the requests.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryLimit } from '../../../src/http/plugins/protection.ts';
import { type Http, KEY, startHttp } from '../routes/fixture.ts';

interface Server extends Http {
  url: string;
  /** An open connection on which `head` was written. */
  open(head?: string): Promise<Socket>;
}

async function listening(env: Record<string, string>): Promise<Server> {
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

/** Resolves when the connection has ended, be it by a reset: that is what a caller gets who writes on after it was cut. */
const ended = (socket: Socket) => new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));

/** Writes `crumb` again and again; resolves when the connection has ended. */
async function trickle(socket: Socket, crumb: string): Promise<void> {
  const timer = setInterval(() => socket.write(crumb), 30);
  try {
    await ended(socket);
  } finally {
    clearInterval(timer);
  }
}

const answers = async ({ url }: Server) =>
  (await fetch(`${url}/instance/fetchInstances`, { headers: { apikey: KEY } })).status;

describe('a caller that is slow on purpose', () => {
  it.each([
    ['headers', 'GET / HTTP/1.1\r\nhost: x\r\n', 'x-a: b\r\n'],
    [
      'a body',
      `POST /instance/create HTTP/1.1\r\nhost: x\r\napikey: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n`,
      '{',
    ],
  ])('and sends %s in crumbs is cut, while others are served', async (_, head, crumb) => {
    const server = await listening({ REQUEST_TIMEOUT: '400' });
    const slow = Promise.all(Array.from({ length: 20 }, async () => trickle(await server.open(head), crumb)));
    expect(await answers(server)).toBe(200);
    await slow;
    // Who writes on while the answer comes may lose it; who waits reads why.
    expect(await text(await server.open(head))).toMatch(/^HTTP\/1\.1 408 .*"status":408.*"code":"REQUEST_INCOMPLETE"/s);
    expect(server.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('or only connects takes nothing from others, a thousand times, and is cut as well', async () => {
    const server = await listening({ REQUEST_TIMEOUT: '2000' });
    const idle = await Promise.all(Array.from({ length: 1_000 }, () => server.open()));
    const gone = Promise.all(idle.map(ended));
    expect(await answers(server)).toBe(200);
    await gone;
    expect(await answers(server)).toBe(200);
  });
});

describe('connections', () => {
  it('beyond MAX_CONNECTIONS are closed, and there is room again when one ends', async () => {
    const server = await listening({ MAX_CONNECTIONS: '2' });
    const [first] = [await server.open(), await server.open()];
    expect(await text(await server.open('GET / HTTP/1.1\r\nhost: x\r\n\r\n')).catch(() => '')).toBe('');
    const left = new Promise((resolve) => void server.app.server.once('request', resolve));
    first.end('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await left;
    await text(first);
    expect(await text(await server.open('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'))).toMatch(
      / 200 /,
    );
  });

  it('that speak no HTTP, or begin with endless headers, are refused in the envelope', async () => {
    const server = await listening({});
    for (const [head, status, code] of [
      ['hello\r\n\r\n', 400, 'INVALID_REQUEST'],
      [`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
      [`GET /${'y'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ] as const) {
      const said = await text(await server.open(head));
      expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toMatchObject({ status, code });
    }
  });
});

describe('garbage behind a valid request', () => {
  it('closes the connection and does not refuse the request that is in progress', async () => {
    const server = await listening({});
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
  const from = (http: Http, apikey: string) => http.call('GET', '/instance/fetchInstances', undefined, { apikey });

  it('holds for each key separately, and says when to come back', async () => {
    const http = await startHttp({ RATE_LIMIT: '2' });
    for (const status of [200, 200, 429]) expect((await from(http, 'shop-key')).status).toBe(status);
    const limited = await from(http, 'shop-key');
    expect(limited.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from(http, 'other-key')).status).toBe(200);
    expect((await from(http, KEY)).status).toBe(200);
    expect((await http.call('GET', '/livez', undefined, { apikey: 'shop-key' })).status).toBe(200);
  });

  it('is off unless it is set', async () => {
    const http = await startHttp();
    for (let n = 0; n < 300; n++) expect((await from(http, KEY)).status).toBe(200);
  });
});

describe('a process with too much memory', () => {
  it('takes no work and says when to come back, but is alive', async () => {
    const http = await startHttp({ OVERLOAD_MEMORY: '1' });
    const ask = () => http.call('GET', '/instance/fetchInstances');
    // Memory is looked at once a second.
    await expect.poll(async () => (await ask()).status).toBe(503);
    const refused = await ask();
    expect(refused.body).toMatchObject({ status: 503, code: 'OVERLOADED' });
    expect(refused.headers['retry-after']).toBe('10');
    expect(await http.call('GET', '/readyz')).toMatchObject({ status: 503, body: { checks: { load: false } } });
    expect((await http.call('GET', '/livez')).status).toBe(200);
    expect((await http.call('GET', '/metrics')).text).toMatch(/route="\/instance\/fetchInstances",status="503"/);
  });

  it('is one above the setting, or above nine tenths of its container', () => {
    expect(memoryLimit(512, 1e9)).toBe(512 * 2 ** 20);
    expect(memoryLimit(0, 1e9)).toBe(9e8);
    expect(memoryLimit(0, 2 ** 64)).toBe(0);
    expect(memoryLimit(0, 0)).toBe(0);
  });
});
