import { createServer } from 'node:https';
import { createServer as createTcpServer, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getTlsIdentity } from '../../packages/sandbox/src/wire/tls.ts';
import { createEgress } from '../../src/egress/http-client.ts';
import { createTunnel } from '../../src/egress/proxy-tunnel.ts';
import { startProxy } from '../support/proxies.ts';

const noCredentials = { username: '', password: '' };
const validCredentials = { username: 'shop', password: 'sécret:1' };

async function createClient() {
  const { caPem } = await getTlsIdentity();
  const platform = { isHost: () => true, ca: [caPem] };
  const egress = createEgress({ allow: [], strict: false, isSandbox: true, platform });
  onTestFinished(() => egress.close());
  return egress;
}

/** Starts a server that greets each client and echoes its bytes. Resolves with the port. */
async function startEcho(): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.write('hello ');
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe.each(['http', 'https', 'socks5'] as const)('tunnels through a %s proxy', (protocol) => {
  it.each([
    ['without credentials', undefined],
    ['with credentials', validCredentials],
  ])('a proxy tunnel carries bytes in both directions %s', async (_, credentials) => {
    const proxy = await startProxy(protocol, credentials);
    const port = await startEcho();
    const egress = await createClient();
    const socket = await egress.tunnel({ ...proxy, ...(credentials ?? noCredentials) })('127.0.0.1', port);
    let received = '';
    const allReceived = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        received += chunk;
        if (received === 'hello world') resolve();
      });
    });
    socket.write('world');
    await allReceived;
    socket.destroy();
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`]);
  });

  it('a proxy tunnel rejects with the reason when it cannot connect', async () => {
    const egress = await createClient();
    const protectedProxy = await startProxy(protocol, validCredentials);
    const wrongCredentials = egress.tunnel({ ...protectedProxy, username: 'shop', password: 'no' })('127.0.0.1', 9);
    await expect(wrongCredentials).rejects.toMatchObject({
      code: 'EPROXY',
      message: expect.stringContaining('credentials'),
    });
    await expect(egress.tunnel({ ...protectedProxy, ...noCredentials })('127.0.0.1', 9)).rejects.toMatchObject({
      code: 'EPROXY',
    });
    const proxy = await startProxy(protocol);
    await expect(egress.tunnel({ ...proxy, ...noCredentials })('forbidden.example', 9)).rejects.toMatchObject({
      code: 'EPROXY',
    });
    await expect(egress.tunnel({ ...proxy, ...noCredentials })('127.0.0.1', 1)).rejects.toMatchObject({
      code: 'EPROXY',
    });
    // A server that answers but is not a proxy.
    const port = await startEcho();
    const throughEcho = egress.tunnel({ ...proxy, port, ...noCredentials })('127.0.0.1', 9);
    await expect(throughEcho).rejects.toThrow();
  });

  it('a proxy tunnel serves requests to the platform', async () => {
    const proxy = await startProxy(protocol);
    const { key, cert } = await getTlsIdentity();
    const server = createServer({ key, cert }, (_, response) => response.end('file'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const egress = await createClient();
    const request = { method: 'GET' as const, url: `https://127.0.0.1:${port}/a`, timeout: 5_000, maxBytes: 100 };
    const answer = await egress.request('platform', {
      ...request,
      tunnel: egress.tunnel({ ...proxy, ...noCredentials }),
    });
    expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status: 200, body: 'file' });
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`]);
  });
});

describe('proxies', () => {
  it.each([
    '169.254.169.254',
    '100.100.100.200',
    '0.0.0.0',
    '[fd00:ec2::254]',
  ])('a proxy with the address %s is forbidden', async (host) => {
    const egress = await createClient();
    const tunnel = egress.tunnel({ protocol: 'http', host, port: 80, ...noCredentials });
    await expect(tunnel('127.0.0.1', 80)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('a proxy tunnel rejects with EPROXY when the proxy closes the connection', async () => {
    const closingServer = createTcpServer((socket) => socket.end());
    await new Promise<void>((resolve) => closingServer.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void closingServer.close());
    const address = closingServer.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const egress = await createClient();
    const tunnel = egress.tunnel({ protocol: 'http', host: '127.0.0.1', port, ...noCredentials });
    await expect(tunnel('127.0.0.1', 80)).rejects.toMatchObject({
      code: 'EPROXY',
      message: 'proxy: it closed the connection',
    });
  });
});

describe('connections to proxies', () => {
  it('a proxy tunnel times out while it connects to the proxy, and closes a connection that opens later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const dialedSocket = Promise.withResolvers<Socket>();
    const proxy = { protocol: 'http' as const, host: '127.0.0.1', port: 9, ...noCredentials };
    const tunnel = createTunnel(proxy, { dial: () => dialedSocket.promise });
    const rejection = expect(tunnel('127.0.0.1', 80)).rejects.toMatchObject({
      code: 'EPROXY',
      message: 'proxy: it did not respond',
    });
    vi.advanceTimersByTime(10_000);
    await rejection;
    const socket = new Socket();
    dialedSocket.resolve(socket);
    await dialedSocket.promise;
    expect(socket.destroyed).toBe(true);
  });

  it.each([
    ['192.0.2.1', [1, 192, 0, 2, 1]],
    ['2001:db8::9', [4, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]],
    ['a.example', [3, 9, ...Buffer.from('a.example')]],
  ])('a proxy tunnel sends %s to a SOCKS5 proxy with the address type of RFC 1928', async (host, address) => {
    const request = Promise.withResolvers<number[]>();
    const server = createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]));
        socket.once('data', (data) => {
          request.resolve([...Buffer.from(data)]);
          socket.end(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const serverAddress = server.address();
    const port = typeof serverAddress === 'object' && serverAddress ? serverAddress.port : 0;
    const egress = await createClient();
    const socket = await egress.tunnel({ protocol: 'socks5', host: '127.0.0.1', port, ...noCredentials })(host, 443);
    onTestFinished(() => void socket.destroy());
    expect(await request.promise).toEqual([5, 1, 0, ...address, 1, 0xbb]);
  });
});
