// Real sockets: connections that wait for many responses at once, or that do not read them.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AppDeps } from '../../../src/http/deps.ts';
import { emptyWebhookService, KEY, startHttp } from '../routes/fixture.ts';

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

describe('responses', () => {
  it('the server closes the connection of a client that does not read its response', async () => {
    const { open, app } = await startServer();
    expect(app.server.timeout).toBe(90_000);
    app.server.timeout = 100;
    const { socket, serverSocket } = await open();
    socket.pause();
    socket.write(get('/openapi.yaml').repeat(20));
    await once(serverSocket, 'close');
  });

  it('the server keeps a connection whose handler takes longer than the timeout', async () => {
    const storage = Promise.withResolvers<void>();
    const { open, app } = await startServer({}, { checkStorage: () => storage.promise });
    app.server.timeout = 100;
    const timedOut = once(app.server, 'timeout');
    const { socket } = await open();
    socket.write(getAndClose('/readyz'));
    await timedOut;
    storage.resolve();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('the server closes the connection of a client that does not read the response of a slow handler', async () => {
    const timeout = Promise.withResolvers<void>();
    const event = JSON.stringify('x'.repeat(20_000_000));
    const readEvents = async () => {
      await timeout.promise;
      return { events: [event], next: 'here' };
    };
    const { open, app } = await startServer({}, { webhookService: { ...emptyWebhookService, readEvents } });
    app.server.timeout = 100;
    app.server.once('timeout', () => timeout.resolve());
    const { socket, serverSocket } = await open();
    socket.pause();
    socket.write(get('/events/shop', `apikey: ${KEY}\r\n`));
    await once(serverSocket, 'close');
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
