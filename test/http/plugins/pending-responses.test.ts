// Real sockets: connections that wait for many responses at once, or that do not read them.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AppDeps } from '../../../src/http/deps.ts';
import { emptyWebhookService, KEY, startHttp } from '../routes/fixture.ts';

async function listening(env: Record<string, string> = {}, deps: Partial<AppDeps> = {}) {
  const http = await startHttp(env, deps);
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  /** An open connection, and its other end in the server. */
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
const lastGet = (path: string) => get(path, 'connection: close\r\n');
const countOf = (answers: string, line: string) => answers.split(line).length - 1;

describe('requests that are sent without waiting for responses', () => {
  it('are answered up to 32', async () => {
    const { open } = await listening();
    const { socket } = await open();
    socket.write(get('/openapi.yaml').repeat(31) + lastGet('/livez'));
    expect(countOf(await text(socket), 'HTTP/1.1 200 OK')).toBe(32);
  });

  it('close the connection when they are more, and only the first ones are handled', async () => {
    let handled = 0;
    const { open, app } = await listening(
      {},
      {
        checkStorage: async () => {
          handled += 1;
        },
      },
    );
    const { socket, serverSocket } = await open();
    const closed = once(serverSocket, 'close');
    socket.write(get('/readyz').repeat(1_400));
    await closed;
    expect(handled).toBe(32);
    expect((await app.inject('/livez')).statusCode).toBe(200);
  });

  it('end with their connection, also those whose response was not the next one', async () => {
    const streams: AbortSignal[] = [];
    const started = Promise.withResolvers<void>();
    const storage = Promise.withResolvers<void>();
    const { open, recorded } = await listening(
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

describe('a response', () => {
  it('that its client does not read is cut off', async () => {
    const { open, app } = await listening();
    expect(app.server.timeout).toBe(90_000);
    app.server.timeout = 100;
    const { socket, serverSocket } = await open();
    socket.pause();
    socket.write(get('/openapi.yaml').repeat(20));
    await once(serverSocket, 'close');
  });

  it('whose handler takes longer than that is not', async () => {
    const storage = Promise.withResolvers<void>();
    const { open, app } = await listening({}, { checkStorage: () => storage.promise });
    app.server.timeout = 100;
    const timedOut = once(app.server, 'timeout');
    const { socket } = await open();
    socket.write(lastGet('/readyz'));
    await timedOut;
    storage.resolve();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that its client does not read is cut off also after a handler that took longer', async () => {
    const timeout = Promise.withResolvers<void>();
    const event = JSON.stringify('x'.repeat(20_000_000));
    const readEvents = async () => {
      await timeout.promise;
      return { events: [event], next: 'here' };
    };
    const { open, app } = await listening({}, { webhookService: { ...emptyWebhookService, readEvents } });
    app.server.timeout = 100;
    app.server.once('timeout', () => timeout.resolve());
    const { socket, serverSocket } = await open();
    socket.pause();
    socket.write(get('/events/shop', `apikey: ${KEY}\r\n`));
    await once(serverSocket, 'close');
  });

  it('is followed by others on its connection until the client sends nothing for a while', async () => {
    const { open, app } = await listening();
    app.server.keepAliveTimeout = 1;
    app.server.keepAliveTimeoutBuffer = 100;
    const { socket } = await open();
    socket.write(get('/livez'));
    expect(countOf(await text(socket), 'HTTP/1.1 200 OK')).toBe(1);
  });
});
