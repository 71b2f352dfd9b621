// Requests of socket.io at the HTTP server: access with keys, and other requests on the same port.
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSocketUpgrade } from '../../../src/http/routes/socket.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { SocketService } from '../../../src/sockets/socket-service.ts';
import { KEY, startHttp } from '../../support/http-fixture.ts';

const HANDSHAKE = '/socket.io/?EIO=4&transport=polling';

async function startServer(env: Record<string, string> = {}) {
  const sockets = new SocketService({
    settingsOf: () => undefined,
    global: false,
    maxConnections: 0,
    clock: systemClock,
  });
  const http = await startHttp({ WEBSOCKET_ENABLED: 'true', ...env }, { sockets });
  await http.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = http.app.server.address() as AddressInfo;
  /** Connects a client. Resolves with undefined when it is accepted, otherwise with its error. */
  const join = (namespace: string, apikey: string) =>
    new Promise<{ message: string; data?: unknown } | undefined>((resolve) => {
      const socket = io(`http://127.0.0.1:${port}${namespace}`, { query: { apikey }, forceNew: true });
      onTestFinished(() => void socket.disconnect());
      socket.once('connect', () => resolve(undefined)).once('connect_error', resolve);
    });
  const get = async (path: string, headers: Record<string, string>) => {
    const sentRequest = request({ host: '127.0.0.1', port, path, headers }).end();
    const [response] = await once(sentRequest, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode, headers: response.headers, text };
  };
  return { ...http, join, get };
}

describe('the socket.io route', () => {
  it('the socket.io route does not exist unless WEBSOCKET_ENABLED is true', async () => {
    const { call } = await startHttp();
    expect(await call('GET', `${HANDSHAKE}&apikey=${KEY}`)).toMatchObject({
      status: 404,
      body: { code: 'ROUTE_NOT_FOUND' },
    });
  });

  it('socket.io accepts clients with a key for their namespace, and AUTH_FAILURE_LIMIT counts the others', async () => {
    const { join, call } = await startServer({ AUTH_FAILURE_LIMIT: '4' });
    expect(await join('/shop', KEY)).toBeUndefined();
    expect(await join('/other', 'other-key')).toBeUndefined();
    expect(await join('/sh%6fp', KEY)).toBeUndefined();
    expect(await join('', KEY)).toMatchObject({ message: expect.stringContaining('WEBSOCKET_GLOBAL_EVENTS') });
    expect(await join('/nobody', KEY)).toMatchObject({ data: { status: 404, code: 'INSTANCE_NOT_FOUND' } });
    for (const namespace of ['/shop', '/nobody', '', '/Other'])
      expect(await join(namespace, 'other-key')).toMatchObject({ data: { status: 401, code: 'UNAUTHORIZED' } });
    expect(await join('/shop', 'wrong')).toMatchObject({ data: { status: 429, code: 'RATE_LIMITED' } });
    expect(await call('GET', '/instance/fetchInstances', undefined, { apikey: 'wrong' })).toMatchObject({
      status: 429,
    });
    expect(await join('/shop', KEY)).toBeUndefined();
  });

  it('the server adds its headers to socket.io responses, and accepts no other upgrades', async () => {
    const { get, app } = await startServer();
    const handshake = await get(HANDSHAKE, {});
    expect(handshake).toMatchObject({ status: 200, headers: { 'x-content-type-options': 'nosniff' } });
    expect(handshake.headers['x-request-id']).toEqual(expect.any(String));
    const websocket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    expect(await get('/livez', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' })).toMatchObject({
      status: 200,
    });
    expect(await get('/chat', { ...websocket, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' })).toMatchObject({
      status: 404,
    });
    expect((await get('/socket.io/?EIO=4&transport=websocket', websocket)).status).toBe(400);
    const areUpgrades = (method: string, ...urls: string[]) => urls.map((url) => isSocketUpgrade({ method, url }));
    expect(areUpgrades('GET', '/socket.io', '/socket.io/?EIO=4', '/SOCKET.IO/')).toEqual([true, true, true]);
    expect(areUpgrades('GET', '/', '/socket.io/x', '/socket.iox')).toEqual([false, false, false]);
    expect(areUpgrades('PUT', '/socket.io/?EIO=4')).toEqual([false]);
    await app.close();
  });
});
