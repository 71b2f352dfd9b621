// Real sockets: connections that wait for many responses at once, or that do not read them.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AppDeps } from '../../../src/http/deps.ts';
import { emptyWebhookService, KEY, startHttp } from '../../support/http-fixture.ts';

async function startServer(env: Record<string, string> = {}, deps: Partial<AppDeps> = {}) {
  const http = await startHttp(env, deps);
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  /** Opens a connection. `serverSocket` is its other end in the server. */
  const open = async () => {
    const accepted = once(http.app.server, 'connection') as Promise<[Socket]>;
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    const [[serverSocket]] = await Promise.all([accepted, once(socket, 'connect')]);
    return { socket, serverSocket };
  };
  return { ...http, open };
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;
const getAndClose = (path: string) => get(path, 'connection: close\r\n');
const countOf = (answers: string, line: string) => answers.split(line).length - 1;

describe('pipelined requests', () => {
  it('the server answers up to 32 pipelined requests of a connection', async () => {
    const { open } = await startServer();
    const { socket } = await open();
    socket.write(get('/openapi.yaml').repeat(31) + getAndClose('/livez'));
    expect(countOf(await text(socket), 'HTTP/1.1 200 OK')).toBe(32);
  });

  it('the server closes a connection with more than 32 pipelined requests, and handles only the first 32', async () => {
    let handledRequests = 0;
    const { open, app } = await startServer(
      {},
      {
        checkStorage: async () => {
          handledRequests += 1;
        },
      },
    );
    const { socket, serverSocket } = await open();
    const closed = once(serverSocket, 'close');
    socket.write(get('/readyz').repeat(1_400));
    await closed;
    expect(handledRequests).toBe(32);
    expect((await app.inject('/livez')).statusCode).toBe(200);
  });

  it('pipelined requests end when their connection closes, also those that wait for an earlier response', async () => {
    const streams: AbortSignal[] = [];
    const started = Promise.withResolvers<void>();
    const storage = Promise.withResolvers<void>();
    const { open, recorded } = await startServer(
      {},
      {
        checkStorage: () => storage.promise,
        webhookService: {
          ...emptyWebhookService,
          openStream: async (_id, _query, { signal }) => {
            streams.push(signal);
            started.resolve();
            return (async function* () {
              yield ': hello\n\n';
              await new Promise((resolve) => signal.addEventListener('abort', resolve));
            })();
          },
        },
      },
    );
    const { socket, serverSocket } = await open();
    const key = `apikey: ${KEY}\r\n`;
    socket.write(
      get('/readyz') +
        `PUT /instance/restart/shop HTTP/1.1\r\nhost: x\r\n${key}\r\n` +
        get('/events/shop', `${key}accept: text/event-stream\r\n`),
    );
    await started.promise;
    const closed = once(serverSocket, 'close');
    socket.destroy();
    await closed;
    expect(streams.map(({ aborted }) => aborted)).toEqual([true]);
    expect(recorded).toMatchObject([{ operation: 'restartInstance' }]);
    storage.resolve();
  });
});

/**
 * In place of the timeout of the server. It is set on a connection when its request has arrived: on a busy machine, it
 * could otherwise pass before the server reads the request.
 */
const SHORT_TIMEOUT_MS = 100;

describe('responses', () => {
  it('the server closes the connection of a client that does not read its response', async () => {
    const { open, app } = await startServer();
    expect(app.server.timeout).toBe(90_000);
    const { socket, serverSocket } = await open();
    socket.pause();
    const requested = once(app.server, 'request');
    socket.write(get('/openapi.yaml').repeat(20));
    await requested;
    serverSocket.setTimeout(SHORT_TIMEOUT_MS);
    await once(serverSocket, 'close');
  });

  it('the server keeps a connection whose handler takes longer than the timeout', async () => {
    const started = Promise.withResolvers<void>();
    const storage = Promise.withResolvers<void>();
    const checkStorage = () => {
      started.resolve();
      return storage.promise;
    };
    const { open } = await startServer({}, { checkStorage });
    const { socket, serverSocket } = await open();
    socket.write(getAndClose('/readyz'));
    await started.promise;
    serverSocket.setTimeout(SHORT_TIMEOUT_MS);
    await once(serverSocket, 'timeout');
    storage.resolve();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('the server closes the connection of a client that does not read the response of a slow handler', async () => {
    const started = Promise.withResolvers<void>();
    const timedOut = Promise.withResolvers<void>();
    const event = JSON.stringify('x'.repeat(20_000_000));
    const readEvents = async () => {
      started.resolve();
      await timedOut.promise;
      return { events: [event], next: 'here' };
    };
    const { open } = await startServer({}, { webhookService: { ...emptyWebhookService, readEvents } });
    const { socket, serverSocket } = await open();
    const closed = once(serverSocket, 'close');
    socket.pause();
    socket.write(get('/events/shop', `apikey: ${KEY}\r\n`));
    await started.promise;
    serverSocket.setTimeout(SHORT_TIMEOUT_MS);
    await once(serverSocket, 'timeout');
    timedOut.resolve();
    await closed;
  });

  it('the server closes an idle connection after the keep-alive timeout', async () => {
    const { open, app } = await startServer();
    app.server.keepAliveTimeout = 1;
    app.server.keepAliveTimeoutBuffer = 100;
    const { socket } = await open();
    socket.write(get('/livez'));
    expect(countOf(await text(socket), 'HTTP/1.1 200 OK')).toBe(1);
  });
});
