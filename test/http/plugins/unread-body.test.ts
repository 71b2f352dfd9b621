// Real sockets: requests that the server refuses because of their head, while their body is still arriving.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Http, KEY, startHttp } from '../../support/http-fixture.ts';

const LARGE = 16 * 2 ** 20;

interface Server extends Http {
  open(): Promise<Socket>;
}

async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const http = await startHttp(env);
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  return Object.assign(http, {
    async open() {
      const socket = connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    },
  });
}

const head = (path: string, length: number, key = '') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\n${key && `apikey: ${key}\r\n`}content-type: application/json\r\n` +
  `${length < 0 ? 'transfer-encoding: chunked' : `content-length: ${length}`}\r\n\r\n`;

const refusedRequests: [name: string, path: string, key: string, status: number, code: string][] = [
  ['an unknown route without a key', '/nowhere', '', 404, 'ROUTE_NOT_FOUND'],
  ['an unknown route with a key', '/nowhere', KEY, 404, 'ROUTE_NOT_FOUND'],
  ['a path below the manager page', '/manager/nowhere', '', 404, 'ROUTE_NOT_FOUND'],
  ['an operation without a key', '/message/sendText/shop', '', 401, 'UNAUTHORIZED'],
  ['an operation with a wrong key', '/message/sendWhatsAppAudio/shop', 'wrong', 401, 'UNAUTHORIZED'],
  ['an operation of another instance', '/message/sendText/shop', 'other-key', 401, 'UNAUTHORIZED'],
  ['an unknown instance', '/message/sendText/nobody', KEY, 404, 'INSTANCE_NOT_FOUND'],
];

describe('requests that are refused because of their head', () => {
  it.each(
    refusedRequests,
  )('the server responds to a refused request before its body arrives: %s', async (_, path, key, status, code) => {
    for (const length of [LARGE, -1]) {
      const server = await startServer();
      const socket = await server.open();
      socket.write(head(path, length, key));
      // The client sends no part of the body. The response arrives, and the connection ends.
      const answer = await text(socket);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close.*"code":"${code}"`, 's'));
    }
  });

  it.each(
    refusedRequests,
  )('a client that sends its whole body first can read the response to a refused request: %s', async (_, path, key, status) => {
    const server = await startServer();
    const socket = await server.open();
    socket.pause();
    socket.write(head(path, LARGE, key));
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(Buffer.alloc(LARGE, '{},'), () => resolve());
    });
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('the server does not parse the body of a refused request', async () => {
    const http = await startHttp();
    const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'a/b'];
    for (const type of types) {
      for (const [name, path, apikey, status, code] of refusedRequests) {
        const answer = await http.call('POST', path, '{', { 'content-type': type, apikey: apikey || undefined });
        expect([name, type, answer.status, answer.body]).toMatchObject([name, type, status, { code }]);
      }
    }
  });

  it('the server keeps the connection of a refused request with a short body', async () => {
    const server = await startServer();
    const socket = await server.open();
    const answers = text(socket);
    socket.write(`${head('/nowhere', 2)}{}`);
    await once(server.app.server, 'request');
    socket.end('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(await answers).toMatch(/^HTTP\/1\.1 404 .*HTTP\/1\.1 200 /s);
  });

  it('app.close() does not wait for the body of a refused request', async () => {
    const server = await startServer();
    const socket = await server.open();
    socket.on('error', () => undefined);
    socket.write(head('/nowhere', LARGE));
    await once(socket, 'data');
    await server.app.close();
    expect(server.app.server.listening).toBe(false);
  });
});
